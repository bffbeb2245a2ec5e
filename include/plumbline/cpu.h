// Which build of the hot loops runs here: "avx512", "avx2" or "baseline" (SSE2 on x86-64, NEON on arm64).
//
// Results are the same bits for any number of threads, but not across instruction sets: these round differently in
// the last place. Set the environment variable PLUMBLINE_ISA to one of the names to pin it on a mixed fleet; a name
// that this machine cannot run makes the first call throw Error.
#pragma once

namespace plumbline {

const char* instruction_set();

}  // namespace plumbline

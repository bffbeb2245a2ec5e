// Of the features given the sensitive columns, what a fit makes equal for all values of these: E[A | b]; cov(A | b)
// too; or the whole law.
#pragma once

namespace plumbline {

enum class Remove { mean, spread, distribution };

const char* name_of(Remove removed);  // "mean", "spread", "distribution"

}  // namespace plumbline

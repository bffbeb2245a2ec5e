// Downloads the published data sets (datasets.h) to the cache, by libcurl.
//
// A file that is there with the right checksum is not downloaded again. Otherwise the bytes go to a temporary name in
// the same folder while their SHA-256 is taken; only when it is the published one are they synchronised to disk and
// renamed. Whatever fails, the folder is left with the old file or none, and with no temporary one. Folders that are
// made are for their owner alone (0700).
//
// The published source is asked over https only, redirects included. A mirror, named by base_url or PLUMBLINE_DATA_URL,
// may be http: the checksum says what it is worth. Proxies come from the environment, as curl takes them (https_proxy,
// all_proxy, no_proxy …).
//
// All throw Error, in one sentence with the address: no connection, no answer in time, a status of 400 and above, a
// connection that was cut, other content than published (both checksums), a folder that cannot be written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "paper/datasets/datasets.h"

namespace plumbline {

struct FetchOptions {
  std::filesystem::path folder = {};  // where files go; empty: cache_directory()
  std::string base_url = "";          // the file's name is added to it; empty: PLUMBLINE_DATA_URL, or as published
  int connect_seconds = 15;           // to connect in, at least 1
  int stall_seconds = 30;             // given up after as many with less than 1,000 bytes a second, at least 1
  // Called after each part: bytes so far, and in all (as the server says, or as published). What it throws ends the
  // download and leaves fetch.
  std::function<void(const DatasetFile& file, std::int64_t bytes, std::int64_t total)> progress = {};

  void check() const;  // throws Error naming the field
};

struct FetchedFile {
  std::filesystem::path path;
  bool downloaded = false;  // false: it was there
};

FetchedFile fetch_file(const DatasetFile& file, const FetchOptions& options = {});
std::vector<FetchedFile> fetch_dataset(const Dataset& dataset, const FetchOptions& options = {});

}  // namespace plumbline

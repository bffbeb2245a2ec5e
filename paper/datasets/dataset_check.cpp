#include <fmt/format.h>

#include "paper/datasets/datasets.h"
#include "plumbline/error.h"

namespace plumbline {

void check_dataset_file(const DatasetFile& file, const std::filesystem::path& path) {
  const std::string sum = sha256_of_file(path, file.line_ends);
  if (sum != file.sha256)
    throw Error(fmt::format(
        "'{}' is not the published {}: its SHA-256 is {} and should be {}; get it with `plumbline data fetch {}`",
        path.string(), file.name, sum, file.sha256, file.dataset));
}

}  // namespace plumbline

// Writes the seeds of the model and the moments target into DIR/model and DIR/moments: small files of every kind.
#include <Eigen/Core>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>

#include "io/files.h"
#include "plumbline/error.h"
#include "plumbline/fit.h"

namespace {

using namespace plumbline;

Eigen::MatrixXd table(Index rows, Index cols, double phase) {
  return Eigen::MatrixXd::NullaryExpr(
      rows, cols, [&](Index i, Index j) { return std::sin(phase + static_cast<double>(3 * i + 7 * j + i * j)); });
}

void write(const std::filesystem::path& folder) {
  const Eigen::MatrixXd a = table(20, 2, 0), b = table(20, 1, 1);
  const auto model = [&](const char* name, const FitOptions& options, const TableOptions& of_table = {}) {
    write_file(folder / "model" / name, fit(a, b, options, of_table).to_json());
  };
  model("full", {});
  model("rank", {.rank = Rank::count(1), .alpha = 0.5});
  model("share", {.basis = Basis::paper, .rank = Rank::share(0.9), .standardize = false});
  model("blind", {.mode = Mode::blind});
  model("sob", {.method = Method::sob, .rank = Rank::count(1), .sob = {.l1_bound = 1.2}});
  model("expanded", {}, {.expand = ExpansionOptions{.powers = 2}});

  for (const auto kind : {Moments::Kind::cross, Moments::Kind::full}) {
    Moments moments({"age", "größe"}, {"b"}, kind);
    const char* name = kind == Moments::Kind::full ? "full" : "cross";
    write_file(folder / "moments" / (std::string(name) + "_empty"), moments.to_bytes());
    moments.update(a, b);
    write_file(folder / "moments" / name, moments.to_bytes());
  }
  write_file(folder / "moments" / "identity", Moments().to_bytes());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: write_seeds DIR\n", stderr);
    return 2;
  }
  try {
    for (const char* name : {"model", "moments"})
      std::filesystem::create_directories(std::filesystem::path(argv[1]) / name);
    write(argv[1]);
  } catch (const Error& error) {
    std::fprintf(stderr, "write_seeds: %s\n", error.what());
    return 1;
  }
}

// The library is opened when it is first used: it is large, and most calls of the tool do not need it.
#include <dlfcn.h>
#include <fmt/format.h>
#include <xgboost/c_api.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/ordered.h"
#include "debias/boosted_trees.h"

namespace plumbline {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kRounds = 100;

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

struct XGBoost {
  decltype(&XGBGetLastError) last_error = nullptr;
  decltype(&XGDMatrixCreateFromMat) create_matrix = nullptr;
  decltype(&XGDMatrixSetFloatInfo) set_float_info = nullptr;
  decltype(&XGDMatrixFree) free_matrix = nullptr;
  decltype(&XGBoosterCreate) create_booster = nullptr;
  decltype(&XGBoosterSetParam) set_parameter = nullptr;
  decltype(&XGBoosterUpdateOneIter) update = nullptr;
  decltype(&XGBoosterPredict) predict = nullptr;
  decltype(&XGBoosterFree) free_booster = nullptr;

  bool open() {
    void* library = nullptr;
    for (const char* name : {PLUMBLINE_XGBOOST_LIBRARY, "libxgboost.so.0", "libxgboost.so"})
      if (!library) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    return library && find(library, "XGBGetLastError", last_error) &&
           find(library, "XGDMatrixCreateFromMat", create_matrix) &&
           find(library, "XGDMatrixSetFloatInfo", set_float_info) && find(library, "XGDMatrixFree", free_matrix) &&
           find(library, "XGBoosterCreate", create_booster) && find(library, "XGBoosterSetParam", set_parameter) &&
           find(library, "XGBoosterUpdateOneIter", update) && find(library, "XGBoosterPredict", predict) &&
           find(library, "XGBoosterFree", free_booster);
  }

  void expect(int status) const {
    if (status != 0) throw Error(fmt::format("XGBoost: {}", last_error()));
  }
};

const XGBoost* xgboost() {
  static const std::optional<XGBoost> library = [] {
    XGBoost found;
    return found.open() ? std::optional(found) : std::nullopt;
  }();
  return library ? &*library : nullptr;
}

using Handle = std::unique_ptr<void, int (*)(void*)>;
using FloatRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Handle matrix(const XGBoost& library, const FloatRows& rows) {
  DMatrixHandle handle = nullptr;
  library.expect(library.create_matrix(rows.data(), static_cast<bst_ulong>(rows.rows()),
                                       static_cast<bst_ulong>(rows.cols()), std::numeric_limits<float>::quiet_NaN(),
                                       &handle));
  return {handle, library.free_matrix};
}

void set_info(const XGBoost& library, void* matrix, const char* field, const VectorXd& values) {
  const std::vector<float> floats(values.begin(), values.end());
  library.expect(library.set_float_info(matrix, field, floats.data(), static_cast<bst_ulong>(floats.size())));
}

VectorXd predicted(const XGBoost& library, const FloatRows& learned, const VectorXd& y, const VectorXd& weights,
                   ReadAs as, const FloatRows& judged) {
  const Handle training = matrix(library, learned), test = matrix(library, judged);
  const bool is_level = as == ReadAs::level;
  const double mean = is_level ? 0 : y.mean();
  const double unit = is_level ? 1 : std::max(std::sqrt((y.array() - mean).square().mean()), 1e-300);
  set_info(library, training.get(), "label", (y.array() - mean) / unit);
  if (weights.size() > 0) set_info(library, training.get(), "weight", weights / weights.mean());
  BoosterHandle handle = nullptr;
  const std::array<DMatrixHandle, 1> known = {training.get()};
  library.expect(library.create_booster(known.data(), known.size(), &handle));
  const Handle booster(handle, library.free_booster);
  for (const auto& [name, value] : {std::pair("objective", is_level ? "binary:logistic" : "reg:squarederror"),
                                    {"tree_method", "hist"},
                                    {"grow_policy", "lossguide"},
                                    {"max_leaves", "31"},
                                    {"max_depth", "0"},
                                    {"min_child_weight", is_level ? "1" : "20"},
                                    {"eta", "0.1"},
                                    {"base_score", is_level ? "0.5" : "0"},
                                    {"nthread", "1"},
                                    {"seed", "0"},
                                    {"verbosity", "0"}})
    library.expect(library.set_parameter(booster.get(), name, value));
  for (int round = 0; round < kRounds; ++round) library.expect(library.update(booster.get(), round, training.get()));
  bst_ulong count = 0;
  const float* out = nullptr;
  library.expect(library.predict(booster.get(), test.get(), 0, 0, 0, &count, &out));
  if (count != static_cast<bst_ulong>(judged.rows()))
    throw Error("XGBoost predicts another number of rows than it was given");
  return Eigen::VectorXf::Map(out, judged.rows()).cast<double>() * unit + VectorXd::Constant(judged.rows(), mean);
}

}  // namespace

std::optional<Attacker> boosted_trees(int threads) {
  const XGBoost* library = xgboost();
  if (!library) return std::nullopt;
  return Attacker{
      "boosted trees", [library, threads](const MatrixXd& learned, const MatrixXd& y, const VectorXd& weights,
                                          std::span<const ReadAs> as, const MatrixXd& judged) {
        const FloatRows training = learned.cast<float>(), test = judged.cast<float>();
        MatrixXd out(judged.rows(), y.cols());
        run_parallel(y.cols(), thread_count(threads, y.cols()), [&](Index t, int) {
          out.col(t) = predicted(*library, training, y.col(t), weights, as[static_cast<std::size_t>(t)], test);
        });
        return out;
      }};
}

}  // namespace plumbline

#include "methods/pipeline.h"

#include <fmt/format.h>

#include "plumbline/error.h"
#include "predict/averaged.h"

namespace plumbline {
namespace {

class Pipeline final : public FittedMethod {
 public:
  Pipeline(const Sample& training, Prepare prepare, std::unique_ptr<const Predictor> f, std::string warning)
      : shape_(training), prepare_(std::move(prepare)), f_(std::move(f)), warning_(std::move(warning)) {}

  Eigen::VectorXd predict(const Eigen::MatrixXd& a, const Eigen::VectorXi& s) const override {
    shape_.check(a, s);
    return f_->predict(prepare_(a, s));
  }

  std::vector<std::string> warnings() const override {
    std::vector<std::string> out;
    for (const std::string& warning : {warning_, f_->warning()})
      if (!warning.empty()) out.push_back(warning);
    return out;
  }

 private:
  Shape shape_;
  Prepare prepare_;
  std::unique_ptr<const Predictor> f_;
  std::string warning_;
};

}  // namespace

void Shape::check(const Eigen::MatrixXd& a, const Eigen::VectorXi& s) const {
  if (a.cols() != features)
    throw Error(fmt::format("a has {} columns; the method was fitted to {}", a.cols(), features));
  check_people(a, s, levels);
}

std::unique_ptr<const FittedMethod> fit_pipeline(const Sample& training, const Learner& learner, Prepare prepare,
                                                 Use use, std::string warning) {
  const Eigen::MatrixXd x = prepare(training.a, training.s);
  std::unique_ptr<const Predictor> f;
  if (use == Use::averaged)
    f = std::make_unique<AveragedPredictor>(learner(with_groups(x, training.s, training.levels), training.y),
                                            group_shares(training.s, training.levels));
  else
    f = learner(x, training.y);
  return std::make_unique<Pipeline>(training, std::move(prepare), std::move(f), std::move(warning));
}

}  // namespace plumbline

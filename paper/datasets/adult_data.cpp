#include "paper/datasets/adult_data.h"

#include <fmt/format.h>

#include "paper/datasets/principal_scores.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

const std::vector<std::string> kNumbers = {"age",          "fnlwgt",       "education-num",
                                           "capital-gain", "capital-loss", "hours-per-week"};
const std::vector<std::string> kTexts = {"workclass",  "education",    "marital-status",
                                         "occupation", "relationship", "native-country",
                                         "race",       "sex",          "income"};
constexpr std::size_t kRace = 6, kSex = 7, kIncome = 8;
constexpr Index kFeatures = 12;

// Numbers, then codes of the categories: the order of columns does not matter to what follows.
Eigen::MatrixXd features_of(const PublishedTable& table, const std::vector<std::vector<std::string>>& levels) {
  Eigen::MatrixXd a(table.rows(), kFeatures);
  a.leftCols(table.numbers().cols()) = table.numbers();
  for (std::size_t j = 0; j < kRace; ++j)
    a.col(table.numbers().cols() + static_cast<Index>(j)) =
        codes_of(table.text(j), levels[j], kTexts[j]).cast<double>();
  return a;
}

Eigen::VectorXi groups_of(const PublishedTable& table, const std::vector<std::vector<std::string>>& levels) {
  return 2 * codes_of(table.text(kRace), levels[kRace], "race") + codes_of(table.text(kSex), levels[kSex], "sex");
}

Eigen::VectorXd equals(const TextColumn& labels, std::string_view label) {
  Eigen::VectorXd out(static_cast<Index>(labels.size()));
  for (std::size_t i = 0; i < labels.size(); ++i) out[static_cast<Index>(i)] = labels[i] == label;
  return out;
}

void check_labels(const TextColumn& labels, std::string_view more, std::string_view less) {
  for (const std::string& label : labels)
    if (label != more && label != less)
      throw Error(fmt::format("column 'income' has '{}'; it must be {} or {}", label, less, more));
}

}  // namespace

AdultData read_adult(const DataSource& source) {
  const PublishedTable train("adult.data", kNumbers, kTexts, source), test("adult.test", kNumbers, kTexts, source);
  check_labels(train.text(kIncome), ">50K", "<=50K");
  check_labels(test.text(kIncome), ">50K.", "<=50K.");
  std::vector<std::vector<std::string>> levels;
  for (std::size_t j = 0; j < kTexts.size(); ++j) levels.push_back(levels_of(train.text(j)));
  const int groups = 2 * static_cast<int>(levels[kRace].size());
  const Eigen::MatrixXd features = features_of(train, levels);
  const PrincipalScores scores(features);
  AdultData data{.parts = {.training = {scores.of(features), groups_of(train, levels),
                                        equals(train.text(kIncome), ">50K"), groups},
                           .test = {scores.of(features_of(test, levels)), groups_of(test, levels),
                                    equals(test.text(kIncome), ">50K."), groups}},
                 .published_outcome = equals(test.text(kIncome), ">50K"),
                 .warnings = {}};
  for (const PublishedTable* table : {&train, &test})
    if (!table->warning().empty()) data.warnings.push_back(table->warning());
  data.parts.training.check();
  data.parts.test.check();
  return data;
}

}  // namespace plumbline

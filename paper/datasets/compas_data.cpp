#include "paper/datasets/compas_data.h"

#include <algorithm>

#include "paper/datasets/principal_scores.h"

namespace plumbline {

CompasData read_compas(const DataSource& source) {
  const PublishedTable table(
      "compas-scores-two-years.csv",
      {"age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count", "two_year_recid"}, {"race", "sex"},
      source);
  const std::vector<std::string> races = {"African-American", "Caucasian", "Hispanic"};
  std::vector<Index> kept;
  TextColumn race, sex;
  for (Index i = 0; i < table.rows(); ++i) {
    if (!std::binary_search(races.begin(), races.end(), table.text(0)[i])) continue;
    kept.push_back(i);
    race.push_back(table.text(0)[i]);
    sex.push_back(table.text(1)[i]);
  }
  const Eigen::MatrixXd numbers = table.numbers()(kept, Eigen::all);
  const Eigen::MatrixXd features = numbers.leftCols(5);
  CompasData data{{.a = PrincipalScores(features).of(features),
                   .s = 2 * codes_of(race, races, "race") + codes_of(sex, {"Female", "Male"}, "sex"),
                   .y = numbers.col(5),
                   .levels = 6},
                  {}};
  if (!table.warning().empty()) data.warnings.push_back(table.warning());
  data.people.check();
  return data;
}

}  // namespace plumbline

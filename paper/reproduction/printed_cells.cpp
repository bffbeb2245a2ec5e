#include "paper/reproduction/printed_cells.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace plumbline {
namespace {

struct Column {
  std::string_view method;
  std::optional<Index> rank = {};
};

struct Row {
  std::string_view metric;
  std::initializer_list<double> values, sds = {};
};

void add_table(std::vector<PrintedCell>& cells, std::string_view experiment, const std::vector<Column>& columns,
               std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    auto column = columns.begin();
    auto sd = row.sds.begin();
    for (const double value : row.values) {
      PrintedCell& cell = cells.emplace_back();
      cell = {experiment, column->method, column->rank, row.metric, value};
      if (sd != row.sds.end()) cell.sd = *sd++;
      ++column;
    }
  }
}

std::vector<Column> compared_and(std::initializer_list<Column> ours) {
  std::vector<Column> columns = {{"ML"},        {"FTU"},       {"FL"},        {"EO"},       {"AA"},
                                 {"FLAP_1(O)"}, {"FLAP_2(O)"}, {"FLAP_1(M)"}, {"FLAP_2(M)"}};
  columns.insert(columns.end(), ours);
  return columns;
}

std::vector<PrintedCell> all_cells() {
  std::vector<PrintedCell> cells;
  // clang-format off
  add_table(cells, "compas", compared_and({{"OB_1", 5}, {"OB_2", 5}}), {
      {"ACC", {.5744, .5726, .5598, .5710, .5609, .5605, .5599, .5607, .5607, .5666, .5674}},
      {"CF", {.2274, .1406, .0054, .1377, .0060, .0058, .0054, .0026, .0027, .0060, .0065}},
      {"EO", {.1046, 0, .1374, 0, .1405, 1.7e-06, 3.3e-06, 6.7e-07, 1.2e-06, 0, 0}},
      {"AA", {.2258, .1460, 0, .1424, 0, 2.9e-07, 5.6e-07, 8.2e-07, 3.0e-07, 1.6e-16, 1.1e-16}}});
  add_table(cells, "compas", compared_and({{"OB_1", 2}, {"OB_2", 2}}), {
      {"AUC", {.7206, .7225, .6928, .7225, .6927, .6927, .6928, .7015, .7019, .6764, .6744}}});
  // From the table of ranks, where rank 5 is printed a second time.
  add_table(cells, "compas", {{"OB_1", 3}, {"OB_1", 4}, {"OB_2", 3}, {"OB_2", 4}}, {
      {"ACC", {.5409, .5507, .5420, .5516}},
      {"CF", {.0120, .0157, .0129, .0162}},
      {"EO", {0, 0, 0, 0}},
      {"AA", {.0006, .0003, .0006, .0003}}});
  add_table(cells, "adult", compared_and({{"SOB_1"}, {"SOB_2"}}), {
      {"ACC", {.7612, .7604, .7594, .7680, .7644, .7357, .7151, .7548, .7594, .7655, .7597}},
      {"AUC", {.8128, .8036, .7680, .7991, .7682, .7682, .7680, .7651, .7649, .7806, .7809}},
      {"CF", {.2779, .2338, .0228, .2047, .0268, .0280, .0228, .0280, .0228, .0529, .0600}},
      {"EO", {.1536, 0, .2853, 0, .2811, .2780, .2853, .2780, .2853, .0002, .0005}},
      {"AA", {.3034, .2574, 0, .2259, 0, 2.2e-17, 2.2e-17, 2.8e-17, 2.8e-17, .0001, .0004}}});
  add_table(cells, "loan", compared_and({{"OB_1"}, {"OB_2"}}), {
      {"ACC", {.6618, .6481, .6224, .6237, .6224, .6237, .6224, .6237, .6224, .6406, .6279}},
      {"AUC", {.9457, .8986, .5867, .6682, .5714, .5668, .5837, .5875, .5863, .5704, .5856}},
      {"CF", {.6291, .3906, .0031, .0355, .0034, .0016, .0032, .0002, .0002, .0011, .0026}},
      {"EO", {.5469, 0, .0156, 0, .0336, .0321, .0156, .0301, .0180, 0, 0}},
      {"AA", {.6235, .4559, 5.6e-18, .0370, 1.1e-18, 3.3e-18, 6.7e-18, .0012, .0038, 4.6e-17, 4.3e-17}}});
  add_table(cells, "sensitivity-compas",
            {{"OB_1", 3}, {"OB_1", 4}, {"OB_1", 5}, {"OB_2", 3}, {"OB_2", 4}, {"OB_2", 5}}, {
      {"ACC", {.5409, .5507, .5666, .5420, .5516, .5674}},
      {"CF", {.0120, .0157, .0060, .0129, .0162, .0065}},
      {"EO", {0, 0, 0, 0, 0, 0}},
      {"AA", {.0006, .0003, 1.6e-16, .0006, .0003, 1.1e-16}}});
  add_table(cells, "crime", {{"ML"}, {"FTU"}, {"Adv(0.1)"}, {"Adv(0.2)"}, {"OB", 20}, {"SOB", 20}}, {
      {"MSE", {.4751, .4711, .4674, .4511, .4534, .4491}, {.0336, .0101, .0425, .0503, .0110, .0155}},
      {"CF_abs", {.2353, .2467, .0095, .0066, .1047, .1051}, {.0729, .1633, .0057, .0029, .0373, .0328}},
      {"train_s", {68.9089, 62.9821, 136.9746, 131.8830, 69.2535, 80.7566},
                  {7.4695, 6.5349, 4.4359, 4.4037, 5.1429, 7.4400}}});
  add_table(cells, "insurance", {{"ML"}, {"FTU"}, {"Adv(0.1)"}, {"Adv(0.2)"}, {"OB", 4}, {"SOB", 4}}, {
      {"MSE", {.0008, .0000, .0658, .1062, .0054, .0054}, {.0009, .0000, .0731, .2174, .0001, .0002}},
      {"CF_abs", {.1414, .1418, .1422, .1189, .1309, .1296}, {.0008, .0002, .0361, .0409, .0023, .0020}},
      {"train_s", {36.4220, 32.9465, 55.2336, 63.5752, 32.8576, 37.5425},
                  {13.9463, 7.0428, 2.6324, .6989, 8.6382, 10.8821}}});
  add_table(cells, "sensitivity-crime", {{"OB", 90}, {"OB", 100}, {"OB", 110}, {"OB", 120}}, {
      {"MSE", {.4197, .4184, .4156, .4158}, {.0136, .0119, .0127, .0134}},
      {"CF_abs", {.0332, .0321, .0320, .0327}, {.0099, .0099, .0107, .0118}}});
  // Print repeats OB and SOB of the tables above.
  add_table(cells, "discretised", {{"FLAP-o[crime]"}, {"FLAP-m[crime]"}, {"FL[crime]"}, {"EO[crime]"}, {"AA[crime]"},
                                   {"OB[crime]", 20}, {"SOB[crime]", 20}}, {
      {"MSE", {.4644, .5414, .5187, .4170, .4170, .4534, .4491}, {.0194, .0323, .0401, .0291, .0291, .0110, .0155}},
      {"CF_abs", {.0911, .1043, .0790, .2485, .1526, .1047, .1051},
                 {.0727, .0679, .0522, .0881, .0393, .0373, .0328}}});
  add_table(cells, "discretised", {{"FLAP-o[insurance]"}, {"FLAP-m[insurance]"}, {"FL[insurance]"}, {"EO[insurance]"},
                                   {"AA[insurance]"}, {"OB[insurance]", 4}, {"SOB[insurance]", 4}}, {
      {"MSE", {.0148, .0440, .0155, .0001, .0001, .0054, .0054}, {.0008, .0020, .0004, .0001, .0001, .0001, .0002}},
      {"CF_abs", {.1446, .1447, .1522, .1387, .1386, .1309, .1296},
                 {.0042, .0036, .0042, .0002, .0002, .0023, .0020}}});
  // clang-format on
  return cells;
}

}  // namespace

std::span<const PrintedCell> printed_cells() {
  static const std::vector<PrintedCell> cells = all_cells();
  return cells;
}

const PrintedCell* printed_cell(std::string_view experiment, std::string_view method, std::optional<Index> rank,
                                std::string_view metric) {
  const auto cells = printed_cells();
  const auto found = std::find_if(cells.begin(), cells.end(), [&](const PrintedCell& cell) {
    return cell.experiment == experiment && cell.method == method && cell.metric == metric &&
           (!cell.rank || cell.rank == rank);
  });
  return found == cells.end() ? nullptr : &*found;
}

}  // namespace plumbline

#include "tables/part_sample.h"

#include <algorithm>
#include <utility>

#include "tables/table_moments.h"

namespace plumbline {
namespace {

using Eigen::MatrixXd;

Encoding of_sensitive(const Encoding& encoding) {
  Encoding out;
  out.features = encoding.sensitive;
  return out;
}

MatrixXd below(const MatrixXd& one, const MatrixXd& other) {
  MatrixXd out(one.rows() + other.rows(), other.cols());
  if (one.rows() > 0) out.topRows(one.rows()) = one;
  out.bottomRows(other.rows()) = other;
  return out;
}

}  // namespace

RowSample& PartSample::next() { return next_.emplace(size_, rows_.rows, most_); }

void PartSample::add(const Encoding& part, const Encoding& all) {
  const SampledRows more = next_->take();
  next_.reset();
  const Encoding b = of_sensitive(all);
  if (rows_.a.rows() > 0 && !(encoding_.features == all.features && encoding_.sensitive == all.sensitive)) {
    rows_.a = reencoded(rows_.a, encoding_, all);
    rows_.b = reencoded(rows_.b, of_sensitive(encoding_), b);
  }
  encoding_ = all;
  rows_.rows = more.rows;
  rows_.a = below(rows_.a, reencoded(more.a, part, all));
  rows_.b = below(rows_.b, reencoded(more.b, of_sensitive(part), b));
  rows_.weights.insert(rows_.weights.end(), more.weights.begin(), more.weights.end());
  rows_.keys.insert(rows_.keys.end(), more.keys.begin(), more.keys.end());
  drop_latest();
}

void PartSample::drop_latest() {
  if (static_cast<Index>(rows_.keys.size()) <= size_) return;
  std::vector<std::uint64_t> keys = rows_.keys;
  std::nth_element(keys.begin(), keys.begin() + size_ - 1, keys.end());
  most_ = keys[static_cast<std::size_t>(size_ - 1)];
  std::vector<Index> kept;
  for (std::size_t i = 0; i < rows_.keys.size(); ++i)
    if (rows_.keys[i] <= most_) kept.push_back(static_cast<Index>(i));
  rows_ = rows_.only(kept);
}

ProbeSample PartSample::take(const TableMoments& usual) {
  ProbeSample out{std::exchange(rows_, {}), usual.moments};
  if (encoding_.features != usual.encoding.features) out.rows.a = reencoded(out.rows.a, encoding_, usual.encoding);
  return out;
}

}  // namespace plumbline

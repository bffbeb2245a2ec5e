// Every instruction set that this machine can run computes what kernels.h says, for every layout and size.
#include "kernels/kernels.h"

#include <gtest/gtest.h>

#include "random_data.h"

namespace plumbline::kernels {
namespace {

using testing::MatrixXd;
using testing::Random;
using testing::RowMajor;
using testing::VectorXd;
using Tile = Eigen::Map<MatrixXd, 0, Eigen::OuterStride<>>;

class Kernels : public ::testing::TestWithParam<const Dispatch*> {
 protected:
  const Dispatch& kernel() const { return *GetParam(); }

  static Block block(const Columns& table) { return {table.data(), table.row_stride(), 0, table.rows(), table.cols()}; }
  static MutableBlock block(const MutableColumns& table) {
    return {table.data(), table.row_stride(), 0, table.rows(), table.cols()};
  }
  static Tile tile(std::vector<double>& cells, Index rows, Index cols) {
    cells.assign(static_cast<std::size_t>(kTileStride * std::max<Index>(cols, 1)), 7.0);
    return {cells.data(), rows, cols, Eigen::OuterStride<>(kTileStride)};
  }
};

template <class Table>
std::vector<Columns> layouts(const Table& column_major, const RowMajor& row_major, const RowMajor& wide) {
  std::vector<Index> every_other;
  for (Index j = 0; j < column_major.cols(); ++j) every_other.push_back(2 * j);
  return {Columns(column_major), Columns(row_major), Columns(wide).select(every_other)};
}

RowMajor with_gaps(const MatrixXd& x) {
  RowMajor wide = RowMajor::Constant(x.rows(), 2 * x.cols(), 1e99);
  for (Index j = 0; j < x.cols(); ++j) wide.col(2 * j) = x.col(j);
  return wide;
}

TEST_P(Kernels, PackCentresAndScalesFromAnyLayoutAndUnpackReturns) {
  Random random(1);
  for (int round = 0; round < 40; ++round) {
    const Index rows = round == 0 ? kTileRows : random.integer(1, kTileRows), cols = random.integer(1, 14);
    const MatrixXd x = random.matrix(rows, cols);
    const VectorXd shift = random.matrix(cols, 1), scale = random.matrix(rows, 1);
    const RowMajor row_major = x, wide = with_gaps(x);
    for (const Columns& table : layouts(x, row_major, wide)) {
      std::vector<double> cells;
      Tile out = tile(cells, padded(rows), cols);
      kernel().pack[0](block(table), scale.data(), shift.data(), cells.data());
      EXPECT_LE((out.topRows(rows) - scale.asDiagonal() * (x.rowwise() - shift.transpose())).cwiseAbs().maxCoeff(),
                1e-14);
      EXPECT_TRUE((out.bottomRows(padded(rows) - rows).array() == 0).all());
      kernel().pack[0](block(table), nullptr, nullptr, cells.data());
      EXPECT_TRUE((out.topRows(rows).array() == x.array()).all());

      MatrixXd back = MatrixXd::Zero(rows, cols);
      RowMajor back_rows = RowMajor::Zero(rows, cols);
      Eigen::MatrixXf narrow(rows, cols);
      kernel().unpack[0](cells.data(), block(MutableColumns(back)));
      kernel().unpack[0](cells.data(), block(MutableColumns(back_rows)));
      kernel().unpack[1](cells.data(), block(MutableColumns(narrow)));
      EXPECT_TRUE((back.array() == x.array()).all());
      EXPECT_TRUE((back_rows.array() == x.array()).all());
      EXPECT_TRUE((narrow.array() == x.cast<float>().array()).all());
    }
  }
}

TEST_P(Kernels, MeanIsTheWeightedMeanFromAnyLayout) {
  Random random(2);
  for (int round = 0; round < 40; ++round) {
    const Index rows = random.integer(1, kTileRows), cols = random.integer(1, 14);
    const MatrixXd x = random.matrix(rows, cols).array() + 1e6;
    const VectorXd weights = random.matrix(rows, 1).cwiseAbs();
    const VectorXd plain = x.colwise().mean(), weighted = x.transpose() * weights / weights.sum();
    const RowMajor row_major = x, wide = with_gaps(x);
    VectorXd of_columns[2];
    for (const Columns& table : layouts(x, row_major, wide))
      for (const bool is_weighted : {false, true}) {
        VectorXd mean(cols), &first = of_columns[is_weighted ? 1 : 0];
        kernel().mean[0](block(table), is_weighted ? weights.data() : nullptr, mean.data());
        EXPECT_LE((mean - (is_weighted ? weighted : plain)).cwiseAbs().maxCoeff(), 1e-9);
        if (first.size() == 0) first = mean;
        EXPECT_EQ(mean, first);
      }
  }
}

TEST_P(Kernels, MeanOfAConstantIsItWhateverRowsOfWeightZeroHold) {
  Random random(8);
  for (int round = 0; round < 60; ++round) {
    const Index rows = random.integer(2, kTileRows), cols = random.integer(1, 14);
    VectorXd weights = random.matrix(rows, 1).cwiseAbs();
    MatrixXd x = MatrixXd::Constant(rows, cols, 0.1);
    const Index kept = random.integer(0, rows - 1);
    for (Index i = 0; i < rows; ++i) {
      if (i == kept || (i > 0 && random.integer(0, 3) > 0)) continue;
      weights[i] = 0;
      x.row(i).setConstant(i % 2 == 0 ? 1e9 : -1.7e308);
    }
    const RowMajor row_major = x, wide = with_gaps(x);
    for (const Columns& table : layouts(x, row_major, wide)) {
      VectorXd mean(cols);
      kernel().mean[0](block(table), weights.data(), mean.data());
      EXPECT_TRUE((mean.array() == 0.1).all()) << mean.transpose();
    }
    const Eigen::MatrixXf narrow = x.cwiseMax(-3e38).cast<float>();
    const Eigen::Matrix<float, -1, -1, Eigen::RowMajor> narrow_rows = narrow;
    for (const Columns& table : {Columns(narrow), Columns(narrow_rows)}) {
      VectorXd mean(cols);
      kernel().mean[1](block(table), weights.data(), mean.data());
      EXPECT_TRUE((mean.array() == static_cast<double>(0.1F)).all()) << mean.transpose();
    }
  }
}

TEST_P(Kernels, FloatsAreWidenedFirst) {
  Random random(3);
  const Eigen::MatrixXf x = random.matrix(333, 9).cast<float>();
  const Eigen::Matrix<float, -1, -1, Eigen::RowMajor> rows = x;
  const MatrixXd wide = x.cast<double>();
  for (const Columns& table : {Columns(x), Columns(rows)}) {
    VectorXd mean(9);
    kernel().mean[1](block(table), nullptr, mean.data());
    EXPECT_LE((mean - wide.colwise().mean().transpose()).cwiseAbs().maxCoeff(), 1e-14);
    std::vector<double> cells;
    Tile out = tile(cells, 333, 9);
    kernel().pack[1](block(table), nullptr, nullptr, cells.data());
    EXPECT_TRUE((out.array() == wide.array()).all());
  }
}

TEST_P(Kernels, ScatterAddsTheProductsOfTheLeadingColumns) {
  Random random(4);
  for (int round = 0; round < 60; ++round) {
    const Index rows = random.integer(1, kTileRows), cols = random.integer(1, 23), lead = random.integer(1, cols);
    const MatrixXd x = random.matrix(rows, cols);
    std::vector<double> cells;
    tile(cells, padded(rows), cols);
    kernel().pack[0](block(Columns(x)), nullptr, nullptr, cells.data());
    MatrixXd c = MatrixXd::Ones(cols, lead);
    VectorXd diagonal = VectorXd::Ones(cols);
    kernel().scatter(cells.data(), rows, cols, lead, c.data(), cols, diagonal.data(), {});
    const MatrixXd gram = x.transpose() * x;
    for (Index j = 0; j < lead; ++j)
      for (Index i = 0; i < cols; ++i) EXPECT_NEAR(c(i, j), i >= j ? 1 + gram(i, j) : 1, 1e-11);
    for (Index i = 0; i < cols; ++i) EXPECT_NEAR(diagonal[i], i >= lead ? 1 + gram(i, i) : 1, 1e-11);
  }
}

TEST_P(Kernels, CrossIsTheScatterOfXWithB) {
  Random random(7);
  for (int round = 0; round < 60; ++round) {
    const Index rows = random.integer(1, kTileRows), cols = random.integer(1, 23), p = random.integer(1, 10);
    const MatrixXd x = random.matrix(rows, cols), b = random.matrix(rows, p);
    const RowMajor by_rows = x;
    const Eigen::MatrixXf narrow = x.cast<float>();
    const VectorXd shift = random.matrix(cols, 1);
    std::vector<double> cells;
    tile(cells, padded(rows), p);
    kernel().pack[0](block(Columns(b)), nullptr, nullptr, cells.data());
    for (const Columns& table : {Columns(x), Columns(by_rows), Columns(narrow)}) {
      MatrixXd c = MatrixXd::Ones(cols, p);
      VectorXd sums = VectorXd::Ones(cols), squares = VectorXd::Ones(cols);
      kernel().cross[static_cast<int>(table.scalar())](block(table), shift.data(), cells.data(), p, sums.data(),
                                                       squares.data(), c.data(), cols);
      const MatrixXd source = table.scalar() == Scalar::float64 ? x : MatrixXd(narrow.cast<double>());
      const MatrixXd d = source.rowwise() - shift.transpose();
      EXPECT_LE((c - d.transpose() * b - MatrixXd::Ones(cols, p)).cwiseAbs().maxCoeff(), 1e-11);
      EXPECT_LE((sums - d.colwise().sum().transpose() - VectorXd::Ones(cols)).cwiseAbs().maxCoeff(), 1e-11);
      const VectorXd expected = d.colwise().squaredNorm().transpose() + VectorXd::Ones(cols);
      EXPECT_LE((squares - expected).cwiseQuotient(expected).cwiseAbs().maxCoeff(), 1e-13);
    }
  }
}

TEST_P(Kernels, SumsAreScaledColumnSums) {
  Random random(6);
  for (int round = 0; round < 40; ++round) {
    const Index rows = random.integer(1, kTileRows), cols = random.integer(1, 9);
    const MatrixXd x = random.matrix(rows, cols);
    const VectorXd scale = random.matrix(rows, 1);
    std::vector<double> cells;
    tile(cells, padded(rows), cols);
    kernel().pack[0](block(Columns(x)), nullptr, nullptr, cells.data());
    VectorXd sums(cols);
    kernel().sums(cells.data(), nullptr, rows, cols, sums.data());
    EXPECT_LE((sums - x.colwise().sum().transpose()).cwiseAbs().maxCoeff(), 1e-11);
    kernel().sums(cells.data(), scale.data(), rows, cols, sums.data());
    EXPECT_LE((sums - x.transpose() * scale).cwiseAbs().maxCoeff(), 1e-11);
  }
}

TEST_P(Kernels, WideScatterIsRightFarBeyondADouble) {
  Random random(9);
  for (int round = 0; round < 30; ++round) {
    const Index rows = random.integer(1, kTileRows), cols = random.integer(1, 6);
    MatrixXd x = random.matrix(rows, cols);
    x.col(cols - 1) = x.col(0) + 1e-9 * random.matrix(rows, 1);  // so that products nearly cancel
    std::vector<double> cells;
    tile(cells, padded(rows), cols);
    kernel().pack[0](block(Columns(x)), nullptr, nullptr, cells.data());
    MatrixXd hi = MatrixXd::Zero(cols, cols), lo = hi;
    kernel().wide_scatter(cells.data(), rows, cols, hi.data(), lo.data());
    kernel().wide_scatter(cells.data(), rows, cols, hi.data(), lo.data());
    using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
    const Wide wide = x.cast<long double>(), expected = 2 * wide.transpose() * wide;
    const Wide found = hi.cast<long double>() + lo.cast<long double>();
    for (Index j = 0; j < cols; ++j)
      for (Index i = j; i < cols; ++i)
        EXPECT_LE(std::abs(found(i, j) - expected(i, j)), 1e-18L * std::sqrt(expected(i, i) * expected(j, j)));
  }
}

TEST_P(Kernels, AffineAndMatvecAreTheMatrixProduct) {
  Random random(5);
  for (int round = 0; round < 60; ++round) {
    const Index rows = random.integer(1, kTileRows), inputs = random.integer(0, 19), outputs = random.integer(1, 19);
    const MatrixXd x = random.matrix(rows, inputs), source = random.matrix(rows, outputs);
    const RowMajor m = random.matrix(outputs, inputs);
    const VectorXd base = random.matrix(outputs, 1), direct = random.matrix(outputs, 1);
    std::vector<double> in_cells, source_cells, out_cells;
    tile(in_cells, padded(rows), inputs);
    tile(source_cells, padded(rows), outputs);
    Tile out = tile(out_cells, rows, outputs);
    kernel().pack[0](block(Columns(x)), nullptr, nullptr, in_cells.data());
    kernel().pack[0](block(Columns(source)), nullptr, nullptr, source_cells.data());
    const Matrix matrix{m.data(), outputs, inputs};
    const MatrixXd product = (x * m.transpose()).rowwise() + base.transpose();
    kernel().affine(matrix, base.data(), nullptr, nullptr, in_cells.data(), rows, out_cells.data());
    EXPECT_LE((out - product).cwiseAbs().maxCoeff(), 1e-12);
    kernel().affine(matrix, base.data(), direct.data(), source_cells.data(), in_cells.data(), rows, out_cells.data());
    EXPECT_LE((out - product - source * direct.asDiagonal()).cwiseAbs().maxCoeff(), 1e-12);

    // Without tiles, in either layout: the same bits.
    const RowMajor rows_source = source;
    const MatrixXd transposed = m;  // column-major, so its cells are those of mᵀ by rows
    MatrixXd columns_out(rows, outputs);
    RowMajor rows_out(rows, outputs);
    const bool stream = random.integer(0, 1) == 1;
    const auto without_tile = [&](const Columns& from, const MutableColumns& to) {
      return kernel().direct[0](matrix, transposed.data(), base.data(), direct.data(), block(from), in_cells.data(),
                                block(to), stream);
    };
    EXPECT_TRUE(without_tile(source, columns_out));
    EXPECT_TRUE(columns_out == out);
    if (outputs > 1) {
      EXPECT_TRUE(without_tile(rows_source, rows_out));
      EXPECT_TRUE(MatrixXd(rows_out) == out);
    }
    RowMajor bad = rows_source;
    bad(rows - 1, outputs - 1) = std::nan("");
    EXPECT_FALSE(without_tile(bad, rows_out));

    VectorXd y = base;
    const VectorXd first = x.row(0);
    kernel().matvec(matrix, first.data(), y.data());
    EXPECT_LE((y - product.row(0).transpose()).cwiseAbs().maxCoeff(), 1e-12);

    VectorXd sparse = random.matrix(outputs, 1);
    for (Index j = 0; j < outputs; ++j)
      if (random.integer(0, 2) == 0) sparse[j] = 0;
    VectorXd z = first;
    kernel().transposed_matvec(matrix, sparse.data(), z.data());
    EXPECT_LE((z - first - m.transpose() * sparse).norm(), 1e-12);
  }
}

TEST_P(Kernels, SymmetricMatvecReadsOneHalf) {
  Random random(12);
  for (int round = 0; round < 60; ++round) {
    const Index q = random.integer(1, 70);
    const MatrixXd half = random.matrix(q, q), full = half + half.transpose();
    RowMajor upper = full;
    upper.triangularView<Eigen::StrictlyLower>().setConstant(std::nan(""));
    for (Index j = 0; j + 4 <= q; j += 4) upper.block(j, j, 4, 4) = full.block(j, j, 4, 4);
    const VectorXd x = random.matrix(q, 1), before = random.matrix(q, 1);
    VectorXd y = before;
    kernel().symmetric_matvec({upper.data(), q, q}, x.data(), y.data());
    EXPECT_LE((y - before - full * x).norm(), 1e-12);
  }
}

TEST_P(Kernels, ThePassesOfTheSparseSolverAreWhatTheySay) {
  Random random(13);
  for (int round = 0; round < 200; ++round) {
    const Index q = random.integer(1, 70);
    const VectorXd x = random.matrix(q, 1);
    const auto [one, squares, largest] = kernel().sparse.norms(x.data(), q);
    EXPECT_NEAR(one, x.lpNorm<1>(), 1e-13 * one);
    EXPECT_NEAR(squares, x.squaredNorm(), 1e-13 * squares);
    EXPECT_EQ(largest, x.lpNorm<Eigen::Infinity>());

    const double root = random.uniform(0.01, 0.999);
    const Eigen::ArrayXd left = root - (1 - x.array().abs() / largest);
    const kernels::Excess excess = kernel().sparse.excess(x.data(), q, largest, root);
    EXPECT_EQ(excess.count, static_cast<double>((left > 0).count()));
    EXPECT_NEAR(excess.sum, left.max(0).sum(), 1e-13 * (1 + excess.sum));
    EXPECT_NEAR(excess.squares, left.max(0).square().sum(), 1e-13 * (1 + excess.squares));

    VectorXd u(q);
    const double least = random.uniform(0, 0.1), scale = random.uniform(0.5, 2);
    kernel().sparse.shrink({largest, root, least, scale}, x.data(), q, u.data());
    const Eigen::ArrayXd kept = (left > least).select(scale * left * x.array().sign(), 0);
    EXPECT_LE((u.array() - kept).abs().maxCoeff(), 1e-14);
    for (Index i = 0; i < q; ++i) EXPECT_FALSE(u[i] == 0 && std::signbit(u[i]));

    const VectorXd g = random.matrix(q, 1), g_before = random.matrix(q, 1), w_before = random.matrix(q, 1);
    VectorXd g_now = g, w = w_before, ahead(q);
    const double beyond = random.uniform(0, 1);
    const double moved = kernel().sparse.extrapolate(
        {scale, beyond, u.data(), g_before.data(), w.data(), g_now.data(), ahead.data()}, q);
    EXPECT_LE((g_now - scale * g).norm(), 1e-13);
    EXPECT_LE((w - scale * u).norm(), 1e-13);
    EXPECT_LE((ahead - g_now - beyond * (g_now - g_before)).norm(), 1e-13);
    EXPECT_NEAR(moved, (w - w_before).dot(g_now - g_before), 1e-11);

    const VectorXd step_before = random.matrix(q, 1), next = random.matrix(q, 1);
    VectorXd step = step_before;
    const auto [agreement, length] = kernel().sparse.advance(u.data(), next.data(), q, step.data());
    EXPECT_LE((step - (next - u)).norm(), 1e-13);
    EXPECT_NEAR(agreement, step_before.dot(next - u), 1e-11);
    EXPECT_NEAR(length, (next - u).squaredNorm(), 1e-11);
  }
}

TEST_P(Kernels, RotateTurnsNeighboursOneAfterTheOther) {
  Random random(11);
  for (int round = 0; round < 40; ++round) {
    const Index count = random.integer(0, 50);
    MatrixXd columns = random.matrix(kRotatedRows, count + 1), expected = columns;
    VectorXd c(count), s(count);
    for (Index k = 0; k < count; ++k) {
      const double angle = random.uniform(-4, 4);
      c[k] = std::cos(angle);
      s[k] = std::sin(angle);
      const VectorXd left = expected.col(k), right = expected.col(k + 1);
      expected.col(k) = c[k] * left + s[k] * right;
      expected.col(k + 1) = c[k] * right - s[k] * left;
    }
    kernel().rotate(columns.data(), count, c.data(), s.data());
    EXPECT_LE((columns - expected).cwiseAbs().maxCoeff(), 1e-14);
  }
}

TEST_P(Kernels, LogisticIsRightToTheLastPlacesHoweverFarOut) {
  Random random(10);
  for (int round = 0; round < 40; ++round) {
    const Index rows = random.integer(1, kTileRows), all = padded(rows);
    VectorXd eta(all), y(all), weights(all), residual(all), root(all);
    for (Index r = 0; r < all; ++r) {
      eta[r] = random.normal() * std::pow(10, random.uniform(-9, 2.6));
      y[r] = static_cast<double>(random.integer(0, 1));
      weights[r] = r < rows ? random.uniform(0, 3) : 0;
    }
    const double value = kernel().logistic(eta.data(), y.data(), weights.data(), rows, residual.data(), root.data());
    long double expected = 0, size = 0;
    for (Index r = 0; r < all; ++r) {
      const long double e = eta[r], w = weights[r], u = std::exp(-std::abs(e)), small = u / (1 + u);
      const long double p = e < 0 ? small : 1 - small, q = e < 0 ? 1 - small : small;
      const long double left = w * (y[r] == 1 ? q : -p), spread = std::sqrt(w * p * q);
      EXPECT_LE(std::abs(residual[r] - left), 1e-15L * std::abs(left) + 1e-300L) << eta[r];
      EXPECT_LE(std::abs(root[r] - spread), 1e-15L * spread + 1e-150L) << eta[r];
      const long double term = w * ((y[r] == 1 ? std::min(e, 0.0L) : -std::max(e, 0.0L)) - std::log1p(u));
      expected += term;
      size += std::abs(term);
    }
    EXPECT_LE(std::abs(value - expected), 1e-14L * size);
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, Kernels,
                         ::testing::ValuesIn(available().dispatches, available().dispatches + available().count),
                         [](const auto& test) { return std::string(test.param->name); });

}  // namespace
}  // namespace plumbline::kernels

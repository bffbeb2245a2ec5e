#include "kernels/tile_kernels.h"
#include "kernels/vectors.h"

namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE {
namespace {

template <class T>
void pack_strided(const T* x, Size stride, Size rows, double shift, double* __restrict out) {
  for (Size r = 0; r < rows; ++r) out[r] = static_cast<double>(x[r * stride]) - shift;
}

template <class T>
void pack_four(const T* x, Size stride, Size rows, const double* shift, double* out) {
  Vec4 s;
  load4(shift, s);
  Size r = 0;
  for (; r + 4 <= rows; r += 4) {
    Vec4 v[4];
    for (Size i = 0; i < 4; ++i) {
      load4(x + (r + i) * stride, v[i]);
      v[i] -= s;
    }
    transpose4(v[0], v[1], v[2], v[3]);
    for (Size i = 0; i < 4; ++i) store4(out + i * kTileStride + r, v[i]);
  }
  for (; r < rows; ++r)
    for (Size i = 0; i < 4; ++i) out[i * kTileStride + r] = static_cast<double>(x[r * stride + i]) - shift[i];
}

template <class T>
void unpack_four(const double* tile, T* x, Size stride, Size rows) {
  Size r = 0;
  for (; r + 4 <= rows; r += 4) {
    Vec4 v[4];
    for (Size i = 0; i < 4; ++i) load4(tile + i * kTileStride + r, v[i]);
    transpose4(v[0], v[1], v[2], v[3]);
    for (Size i = 0; i < 4; ++i) store4(x + (r + i) * stride, v[i]);
  }
  for (; r < rows; ++r)
    for (Size i = 0; i < 4; ++i) x[r * stride + i] = static_cast<T>(tile[i * kTileStride + r]);
}

}  // namespace

template <class T>
void pack(const Block& block, const double* scale, const double* shift, double* tile) {
  const double zeros[4] = {};
  for (Size j = 0; j < block.cols;) {
    const T* x = cell<T>(block, 0, j);
    double* out = tile + j * kTileStride;
    const double* s = shift ? shift + j : zeros;
    if (block.row_stride == 1) {
      pack_strided(x, 1, block.rows, *s, out);
      j += 1;
    } else if (j + 4 <= block.cols && run_length<T>(block, j) >= 4) {
      pack_four(x, block.row_stride, block.rows, s, out);
      j += 4;
    } else {
      pack_strided(x, block.row_stride, block.rows, *s, out);
      j += 1;
    }
  }
  for (Size j = 0; j < block.cols; ++j) {
    double* out = tile + j * kTileStride;
    if (scale)
      for (Size r = 0; r < block.rows; ++r) out[r] *= scale[r];
    for (Size r = block.rows; r < padded(block.rows); ++r) out[r] = 0;
  }
}

template <class T>
void unpack(const double* tile, const MutableBlock& block) {
  for (Size j = 0; j < block.cols;) {
    T* x = cell<T>(block, 0, j);
    const double* in = tile + j * kTileStride;
    if (block.row_stride != 1 && j + 4 <= block.cols && run_length<T>(block, j) >= 4) {
      unpack_four(in, x, block.row_stride, block.rows);
      j += 4;
    } else {
      for (Size r = 0; r < block.rows; ++r) x[r * block.row_stride] = static_cast<T>(in[r]);
      j += 1;
    }
  }
}

void sums(const double* tile, const double* scale, Size rows, Size cols, double* sums) {
  for (Size j = 0; j < cols; ++j) {
    const double* x = tile + j * kTileStride;
    Vec total[4] = {};
    Size r = 0;
    for (; r + 4 * kLanes <= rows; r += 4 * kLanes)
      for (Size v = 0; v < 4; ++v) {
        const Vec d = load_vector(x + r + v * kLanes);
        total[v] += scale ? d * load_vector(scale + r + v * kLanes) : d;
      }
    double rest = 0;
    for (; r < rows; ++r) rest += scale ? x[r] * scale[r] : x[r];
    sums[j] = sum((total[0] + total[1]) + (total[2] + total[3])) + rest;
  }
}

template void pack<double>(const Block&, const double*, const double*, double*);
template void pack<float>(const Block&, const double*, const double*, double*);
template void unpack<double>(const double*, const MutableBlock&);
template void unpack<float>(const double*, const MutableBlock&);

}  // namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE

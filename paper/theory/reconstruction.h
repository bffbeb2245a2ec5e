// How far OB of rank k moves a matrix, and what the paper's lemma says of it.
//
//   A: n × q, b: n, both centred here        A = V D Uᵀ, A_k = V_k D_k U_kᵀ        P = 11ᵀ/n + bbᵀ/‖b‖²
//
//   paper             ‖A − Ã‖²,  Ã = (I − P) A U_k U_kᵀ, the paper's solution
//   optimal           ‖A − Ã‖²,  Ã the nearest matrix of rank k that is orthogonal to b (plumbline/fit.h)
//   lemma             ‖A − A_k‖² + ‖P V_k D_k‖²               = paper, for every k
//   printed           (‖A − A_k‖ + ‖k P V_k D_k‖)²            the lemma as it stands
//   printed_squared   ‖A − A_k‖² + ‖k P V_k D_k‖²             the lemma, had it spoken of squares
//
// all as shares of ‖A‖². optimal ≤ paper = lemma ≤ printed_squared ≤ printed. At k = q, optimal = paper; at k = 1,
// lemma = printed_squared.
//
// Why: A − Ã = (A − A_k) + P A_k, and the two are orthogonal, for their row spaces are. P A_k = P V_k D_k U_kᵀ has the
// norm of P V_k D_k, once. Ã is no nearer than it must be, since S = (I − P) A U leaves ‖A‖² − tr(Uᵀ Aᵀ(I − P) A U),
// which the top eigenvectors of Aᵀ(I − P)A make least, and not those of AᵀA.
//
// Error unless n > q and b has n rows; what the fit throws: a constant b, cells that are not finite.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace plumbline {

struct Reconstruction {
  double paper = 0, optimal = 0, lemma = 0, printed = 0, printed_squared = 0;
};

// For k = 1 … q.
std::vector<Reconstruction> reconstructions(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);

}  // namespace plumbline

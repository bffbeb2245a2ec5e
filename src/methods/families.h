// What fit_method chooses from; method.h says what each of them is. Samples and options have passed their checks.
#pragma once

#include <memory>

#include "methods/group_mapping.h"
#include "methods/method.h"
#include "methods/pipeline.h"

namespace plumbline {

using MethodPointer = std::unique_ptr<const FittedMethod>;

// baselines.cpp
MethodPointer fit_ml(const Sample& training, const MethodOptions& options);
MethodPointer fit_ftu(const Sample& training, const MethodOptions& options);
MethodPointer fit_eo(const Sample& training, const MethodOptions& options);
MethodPointer fit_aa(const Sample& training, const MethodOptions& options);

// flap.cpp
MethodPointer fit_fl(const Sample& training, const MethodOptions& options);
MethodPointer fit_flap(const Sample& training, const MethodOptions& options, Use use, Mapping mapping);

// orthogonal.cpp
MethodPointer fit_orthogonal(const Sample& training, const MethodOptions& options, Use use, Method method);

}  // namespace plumbline

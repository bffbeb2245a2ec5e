// Generators of counterfactuals, each trained once: experiments on the same rows, with the same seed, share one.
//
// A generator is known by the name of its trial (regression_comparison.h) and its seed. Safe for several threads; one
// that asks for what another is training waits for it.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "methods/adversarial_vae.h"

namespace plumbline {

class GeneratorShelf {
 public:
  struct Trained {
    std::shared_ptr<const AdversarialVae> generator;
    double seconds = 0;  // of its training
  };

  // Throws what training throws, to everyone who asks.
  Trained get(const std::string& trial, const ContinuousSample& training, const VaeOptions& options);

 private:
  std::mutex mutex_;
  std::map<std::pair<std::string, std::uint64_t>, std::shared_future<Trained>> trained_;
};

}  // namespace plumbline

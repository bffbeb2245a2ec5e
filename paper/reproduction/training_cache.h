// What takes long to train, each trained once: experiments on the same rows, with the same seed, share it.
//
// A name says all that a training depends on. Safe for several threads; one that asks for what another is training
// waits for it.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "methods/adversarial_vae.h"
#include "methods/continuous_method.h"
#include "paper/reproduction/stopwatch.h"

namespace plumbline {

template <class T>
class TrainingCache {
 public:
  struct Trained {
    std::shared_ptr<const T> model;
    double seconds = 0;  // of its training
  };

  // train() gives a pointer that owns what is new. Throws what it throws, to everyone who asks.
  template <class Train>
  Trained get(const std::string& name, const Train& train) {
    std::packaged_task<Trained()> task([&] {
      const Stopwatch watch;
      std::shared_ptr<const T> model = train();
      return Trained{std::move(model), watch.seconds()};
    });
    std::unique_lock lock(mutex_);
    const auto [place, is_new] = trained_.try_emplace(name);
    if (is_new) place->second = task.get_future();
    const std::shared_future<Trained> result = place->second;
    lock.unlock();
    if (is_new) task();
    return result.get();
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_future<Trained>> trained_;
};

struct TrainingCaches {
  TrainingCache<AdversarialVae> generators;
  TrainingCache<ContinuousMethod> methods;
};

}  // namespace plumbline

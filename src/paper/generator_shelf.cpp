#include "paper/generator_shelf.h"

#include "paper/stopwatch.h"

namespace plumbline {

GeneratorShelf::Trained GeneratorShelf::get(const std::string& trial, const ContinuousSample& training,
                                            const VaeOptions& options) {
  std::packaged_task<Trained()> train([&] {
    const Stopwatch watch;
    auto generator = std::make_shared<const AdversarialVae>(training, options);
    return Trained{std::move(generator), watch.seconds()};
  });
  std::unique_lock lock(mutex_);
  const auto [place, is_new] = trained_.try_emplace({trial, options.seed});
  if (is_new) place->second = train.get_future();
  const std::shared_future<Trained> result = place->second;
  lock.unlock();
  if (is_new) train();
  return result.get();
}

}  // namespace plumbline

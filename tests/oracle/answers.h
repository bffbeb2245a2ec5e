// The frame of a program that computes for a test in another language: a list of cases from stdin, the list of their
// results to stdout, {error: message} for a case that the library refuses. Anything else that fails ends it with 2.
#pragma once

#include <iostream>
#include <nlohmann/json.hpp>

#include "plumbline/error.h"

namespace plumbline::testing {

template <class ResultOf>
int answer(const char* program, const ResultOf& result_of) {
  try {
    nlohmann::json results = nlohmann::json::array();
    for (const nlohmann::json& in : nlohmann::json::parse(std::cin)) {
      try {
        results.push_back(result_of(in));
      } catch (const Error& error) {
        results.push_back({{"error", error.what()}});
      }
    }
    std::cout << results << '\n';
  } catch (const std::exception& error) {
    std::cerr << program << ": " << error.what() << '\n';
    return 2;
  }
  return 0;
}

}  // namespace plumbline::testing

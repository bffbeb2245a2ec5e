// A network and its parameters as JSON: { inputs, layers: [{ outputs, activation }], number, parameters }, sealed with
// format, version and checksum (base/json.h). number is "float" or "double"; parameters read back exactly.
//
// Error for a document that is cut, edited, newer or of another format; when layers or parameters do not fit each
// other; and when doubles are to be read as floats. Floats may be read as doubles.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "predict/network.h"

namespace plumbline {

template <class T>
struct StoredNetwork {
  Network network;
  Vector<T> parameters;
};

template <class T>
std::string network_to_json(const Network& network, const Vector<T>& parameters);
template <class T>
StoredNetwork<T> network_from_json(std::string_view text);

// The same as part of another document.
template <class T>
Json json_of(const Network& network, const Vector<T>& parameters);
template <class T>
StoredNetwork<T> network_of(const Json& content);

}  // namespace plumbline

// What the paper's text says of its tables, and the orders that its cells have, asked of three columns: the printed
// cells, ours as published, and sound.
//
// A claim is a statement about methods and metrics that holds or does not; it says nothing where a cell is missing. In
// the sound column OB and SOB are those with indicators, OB_1[onehot] and so on. Of several ranks the highest is meant
// unless one is named. Means are compared as they are, whatever their spread; ties within 1e-9 count as equal.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "paper/records.h"

namespace plumbline {

struct Claim {
  std::string_view text;   // the claim, made precise
  bool is_of_text = true;  // false: an order of the printed cells, which the text does not speak of
  std::optional<bool> in_print, as_published, sound;
};

std::vector<Claim> claims_of(std::string_view experiment, const std::vector<const Record*>& records);

}  // namespace plumbline

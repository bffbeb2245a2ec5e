#include "debias/expansion_terms.h"

#include <fmt/format.h>

#include "base/choices.h"
#include "plumbline/error.h"

namespace plumbline {

std::optional<ExpansionOptions> expansion_of(std::string_view flag, const std::vector<std::string>& lists) {
  if (lists.empty()) return std::nullopt;
  ExpansionOptions out;
  for (std::string_view list : lists)
    while (!list.empty()) {
      const std::size_t comma = list.find(',');
      const std::string_view term = list.substr(0, comma);
      list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
      const std::size_t equals = term.find('=');
      const std::string name(term.substr(0, equals));
      const auto count = [&](std::int64_t least) {
        if (equals == std::string_view::npos)
          throw Error(fmt::format("{} {} has no number; write {}=5", flag, name, name));
        return static_cast<int>(
            integer_of(fmt::format("{} {}", flag, name), std::string(term.substr(equals + 1)), least, 1000));
      };
      if (name == "powers")
        out.powers = count(1);
      else if (name == "splines")
        out.knots = count(3);
      else if (name == "bins")
        out.bins = count(2);
      else if (name == "auto" && equals == std::string_view::npos)
        out.automatic = true;
      else if (name == "interactions" && equals == std::string_view::npos)
        out.interactions = true;
      else
        refuse_choice(flag, std::string(term), {"auto", "powers=3", "splines=5", "bins=4", "interactions"});
    }
  return out;
}

}  // namespace plumbline

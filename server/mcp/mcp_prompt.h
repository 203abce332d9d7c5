// The messages of prompts: text with places such as ${stock}, which arguments fill.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pelorus {

// Returns the names of the places of a message, each once, in their order. A place is ${NAME}, with letters, digits and
// underscores; all else is text.
std::vector<std::string> mcpPlaces(std::string_view message);

// Returns the message with its places filled. The arguments are text: a place within them is not filled. Throws
// UserError for an argument that is missing, or that the message has no place for; and where more than 1 MiB would come
// out.
std::string mcpFilled(std::string_view message, const std::map<std::string, std::string>& arguments);

}  // namespace pelorus

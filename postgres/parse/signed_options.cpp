#include "postgres/parse/signed_options.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "postgres/parse/tree.h"

namespace pelorus::postgres {

using Json = nlohmann::json;

// Returns the number behind the words of an option; 0 for none.
static int64_t numberBehind(std::string_view option) {
    const size_t at = std::min(option.find_first_of("+-0123456789"), option.size());
    option.remove_prefix(at);
    const bool isNegative = option.starts_with('-');
    option.remove_prefix(std::min(option.find_first_of("0123456789"), option.size()));
    int64_t number = 0;
    std::from_chars(option.data(), option.data() + option.size(), number);
    return isNegative ? -number : number;
}

void readSignedOptions(Json& tree, std::string_view text) {
    if (!tree.is_structured()) return;
    if (kindOf(tree) == "DefElem") {
        Json& option = *tree.begin();
        if (!option.contains("arg") || kindOf(option["arg"]) != "Integer") return;
        Json& number = option["arg"]["Integer"];
        const auto place = static_cast<size_t>(std::max(placeOf(option), 0));
        if (!number.contains("ival") && place < text.size()) number["ival"] = numberBehind(text.substr(place));
        return;
    }
    for (Json& item : tree) readSignedOptions(item, text);
}

}  // namespace pelorus::postgres

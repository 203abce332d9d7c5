#include "common/outside_json.h"

#include <algorithm>

namespace pelorus {

int jsonDepth(std::string_view string) {
    int depth = 0, deepest = 0;
    bool isInString = false;
    for (size_t i = 0; i < string.size(); ++i) {
        const char c = string[i];
        if (isInString) {
            if (c == '\\') ++i;
            isInString = c != '"';
        } else if (c == '"') {
            isInString = true;
        } else if (c == '[' || c == '{') {
            deepest = std::max(deepest, ++depth);
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return deepest;
}

nlohmann::json parseJson(std::string_view string) {
    if (jsonDepth(string) > kMaxJsonDepth) return nlohmann::json(nlohmann::json::value_t::discarded);
    return nlohmann::json::parse(string.begin(), string.end(), nullptr, false);
}

}  // namespace pelorus

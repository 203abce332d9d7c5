#include "common/outside_json.h"

#include <algorithm>

namespace pelorus {

int jsonDepth(std::string_view text) {
    int depth = 0, deepest = 0;
    bool isInString = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
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

nlohmann::json parseJson(std::string_view text) {
    if (jsonDepth(text) > kMaxJsonDepth) return nlohmann::json(nlohmann::json::value_t::discarded);
    return nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
}

}  // namespace pelorus

#include "common/lookalike_characters.h"

#include <algorithm>

namespace pelorus {

namespace {

constexpr std::string_view kBlanks[] = {
    "\u00A0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008",
    "\u2009", "\u200A", "\u200B", "\u2028", "\u2029", "\u202F", "\u205F", "\u2060", "\u3000", "\uFEFF",
};

struct Lookalike {
    std::string_view character;
    std::string_view meant;
    std::string_view kind;
};
constexpr std::string_view kFullWidth = "a full-width character", kQuote = "a typographic quote",
                           kDash = "a typographic dash", kSign = "a mathematical sign";
constexpr Lookalike kLookalikes[] = {
    {"（", "(", kFullWidth},  {"）", ")", kFullWidth}, {"【", "[", kFullWidth}, {"】", "]", kFullWidth},
    {"［", "[", kFullWidth},  {"］", "]", kFullWidth}, {"｛", "{", kFullWidth}, {"｝", "}", kFullWidth},
    {"《", "<", kFullWidth},  {"》", ">", kFullWidth}, {"＜", "<", kFullWidth}, {"＞", ">", kFullWidth},
    {"，", ",", kFullWidth},  {"、", ",", kFullWidth}, {"；", ";", kFullWidth}, {"：", ":", kFullWidth},
    {"。", ".", kFullWidth},  {"．", ".", kFullWidth}, {"！", "!", kFullWidth}, {"？", "?", kFullWidth},
    {"＝", "=", kFullWidth},  {"＋", "+", kFullWidth}, {"－", "-", kFullWidth}, {"＊", "*", kFullWidth},
    {"／", "/", kFullWidth},  {"％", "%", kFullWidth}, {"＆", "&", kFullWidth}, {"｜", "|", kFullWidth},
    {"＂", "\"", kFullWidth}, {"＇", "'", kFullWidth}, {"｀", "`", kFullWidth}, {"“", "\"", kQuote},
    {"”", "\"", kQuote},      {"„", "\"", kQuote},     {"«", "\"", kQuote},     {"»", "\"", kQuote},
    {"‘", "\"", kQuote},      {"’", "\"", kQuote},     {"–", "-", kDash},       {"—", "-", kDash},
    {"‐", "-", kDash},        {"‑", "-", kDash},       {"−", "-", kSign},       {"×", "*", kSign},
    {"÷", "\\", kSign},       {"≠", "!=", kSign},      {"≤", "<=", kSign},      {"≥", ">=", kSign},
    {"…", "...", kSign},      {"∧", "&&", kSign},      {"∨", "||", kSign},      {"→", "->", kSign},
};

}  // namespace

size_t wideBlankLength(std::string_view string) {
    if (string.empty() || static_cast<unsigned char>(string[0]) < 0x80) return 0;
    for (std::string_view blank : kBlanks) {
        if (string.starts_with(blank)) return blank.size();
    }
    return 0;
}

std::string lookalikeAdvice(std::string_view string, size_t* offset) {
    const bool isPlain =
        std::all_of(string.begin(), string.end(), [](char c) { return static_cast<signed char>(c) >= 0; });
    if (isPlain) return {};
    for (size_t i = 0; i < string.size(); ++i) {
        for (const Lookalike& l : kLookalikes) {
            if (!string.substr(i).starts_with(l.character)) continue;
            if (offset) *offset = i;
            return std::string(l.character) + " is " + std::string(l.kind) + ": write " + std::string(l.meant) +
                   " instead.";
        }
    }
    return {};
}

}  // namespace pelorus

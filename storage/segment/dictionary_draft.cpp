#include "storage/segment/dictionary_draft.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "common/check.h"
#include "runtime/value/symbol_base.h"

namespace pelorus {
namespace {

// Sorts the strings and renumbers the codes accordingly.
void sortDictionary(DictionaryDraft& draft) {
    std::vector<int32_t> order(draft.strings.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
    std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
        return draft.strings[static_cast<size_t>(a)] < draft.strings[static_cast<size_t>(b)];
    });
    std::vector<int32_t> rank(order.size());
    std::vector<std::string_view> sorted(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
        rank[static_cast<size_t>(order[i])] = static_cast<int32_t>(i);
        sorted[i] = draft.strings[static_cast<size_t>(order[i])];
    }
    draft.strings = std::move(sorted);
    CHECK(std::adjacent_find(draft.strings.begin(), draft.strings.end(), std::greater_equal<>()) == draft.strings.end())
        << "a dictionary is in strictly ascending order: bounds of blocks are compared as codes";
    for (int32_t& code : draft.codes) code = rank[static_cast<size_t>(code)];
}

// Returns the dictionary of a column that is long compared with the symbol table, whose order is known: no strings are
// compared.
DictionaryDraft dictionaryByRanks(const int32_t* codes, int64_t n) {
    const auto ranks = symbols::ranks();
    std::vector<int32_t> codeAt(ranks->size(), -1);  // by rank
    for (int64_t i = 0; i < n; ++i) {
        codeAt[static_cast<size_t>((*ranks)[static_cast<size_t>(codes[i])])] = codes[i];
    }
    DictionaryDraft draft;
    std::vector<int32_t> positions(ranks->size());
    for (size_t rank = 0; rank < codeAt.size(); ++rank) {
        if (codeAt[rank] < 0) continue;
        positions[rank] = static_cast<int32_t>(draft.strings.size());
        draft.strings.push_back(symbols::string(codeAt[rank]));
    }
    draft.codes.resize(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) {
        draft.codes[static_cast<size_t>(i)] = positions[static_cast<size_t>((*ranks)[static_cast<size_t>(codes[i])])];
    }
    return draft;
}

}  // namespace

DictionaryDraft symbolDictionary(const Vector& column) {
    DictionaryDraft draft;
    const int32_t* codes = column.data<int32_t>();
    const int64_t n = column.size();
    if (symbols::count() <= n) return dictionaryByRanks(codes, n);
    draft.codes.resize(static_cast<size_t>(n));
    std::unordered_map<int32_t, int32_t> positions;
    for (int64_t i = 0; i < n; ++i) {
        int32_t& local = draft.codes[static_cast<size_t>(i)];
        if (i > 0 && codes[i] == codes[i - 1]) {
            local = draft.codes[static_cast<size_t>(i) - 1];
            continue;
        }
        const auto [it, added] = positions.try_emplace(codes[i], static_cast<int32_t>(draft.strings.size()));
        if (added) draft.strings.push_back(symbols::string(codes[i]));
        local = it->second;
    }
    sortDictionary(draft);
    return draft;
}

bool stringDictionary(const Vector& column, DictionaryDraft& draft) {
    const int64_t n = column.size();
    const auto limit = static_cast<size_t>(std::min<int64_t>(n / 4 + 1, 1 << 20));
    draft.codes.resize(static_cast<size_t>(n));
    std::unordered_map<std::string_view, int32_t> positions;
    for (int64_t i = 0; i < n; ++i) {
        const auto [it, added] = positions.try_emplace(column.string(i), static_cast<int32_t>(draft.strings.size()));
        if (added) {
            if (draft.strings.size() >= limit) return false;
            draft.strings.push_back(it->first);
        }
        draft.codes[static_cast<size_t>(i)] = it->second;
    }
    sortDictionary(draft);
    return true;
}

}  // namespace pelorus

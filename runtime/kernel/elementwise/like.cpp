// x like pattern: % matches any string, ? one character.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "common/thread/thread_pool.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

char lowered(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Returns false when the string cannot contain the piece: when its first and last byte occur nowhere at their distance.
// Tests sixteen places at a time; with fewer places it returns true.
bool mayHold(const char* string, size_t size, std::string_view piece) {
    using Bytes = char __attribute__((vector_size(16)));
    if (size < piece.size()) return false;
    const size_t places = size - piece.size() + 1;
    if (places < sizeof(Bytes)) return true;
    const Bytes first = Bytes{} + piece.front(), last = Bytes{} + piece.back();
    const auto at = [&](size_t place) {
        Bytes begins, ends;
        std::memcpy(&begins, string + place, sizeof begins);
        std::memcpy(&ends, string + place + piece.size() - 1, sizeof ends);
        return (begins == first) & (ends == last);
    };
    auto found = at(places - sizeof(Bytes));
    for (size_t place = 0; place + sizeof(Bytes) < places; place += sizeof(Bytes)) found |= at(place);
    uint64_t halves[2];
    std::memcpy(halves, &found, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

class LikePattern {
public:
    LikePattern(std::string_view pattern, bool ignoreCase) : pattern_(pattern), ignoreCase_(ignoreCase) {
        isPlain_ = !ignoreCase && pattern.find('?') == std::string_view::npos;
        for (size_t begin = 0; isPlain_;) {
            const size_t end = std::min(pattern.find('%', begin), pattern.size());
            pieces_.push_back(pattern.substr(begin, end - begin));
            if (end == pattern.size()) break;
            begin = end + 1;
        }
    }

    bool matches(std::string_view string) const { return isPlain_ ? holdsPieces(string) : backtracks(string); }

private:
    // Matches the first piece at the beginning, the last at the end, the others in between, each at the first place
    // where it fits.
    bool holdsPieces(std::string_view string) const {
        const std::string_view first = pieces_.front(), last = pieces_.back();
        if (pieces_.size() == 1) return string == first;
        if (string.size() < first.size() + last.size() || !string.starts_with(first) || !string.ends_with(last))
            return false;
        const char* at = string.data() + first.size();
        const char* const end = string.data() + string.size() - last.size();
        for (size_t i = 1; i + 1 < pieces_.size(); ++i) {
            if (pieces_[i].empty()) continue;
            if (!mayHold(at, static_cast<size_t>(end - at), pieces_[i])) return false;
            const void* found = ::memmem(at, static_cast<size_t>(end - at), pieces_[i].data(), pieces_[i].size());
            if (!found) return false;
            at = static_cast<const char*>(found) + pieces_[i].size();
        }
        return true;
    }

    // Backtracks to the last % only, so the time is at most the product of the lengths.
    bool backtracks(std::string_view string) const {
        const std::string_view pattern = pattern_;
        size_t t = 0, p = 0, star = std::string_view::npos, mark = 0;
        const auto same = [&](char a, char b) { return ignoreCase_ ? lowered(a) == lowered(b) : a == b; };
        while (t < string.size()) {
            if (p < pattern.size() && pattern[p] == '%') {
                star = p++;
                mark = t;
            } else if (p < pattern.size() && (pattern[p] == '?' || same(string[t], pattern[p]))) {
                ++t;
                ++p;
            } else if (star != std::string_view::npos) {
                p = star + 1;
                t = ++mark;
            } else {
                return false;
            }
        }
        while (p < pattern.size() && pattern[p] == '%') ++p;
        return p == pattern.size();
    }

    std::string_view pattern_;
    bool ignoreCase_;
    bool isPlain_;
    std::vector<std::string_view> pieces_;  // between the %, of a pattern without ?
};

// Tests each distinct symbol once.
void matchSymbols(const Vector& symbols, const LikePattern& pattern, int8_t* out) {
    const int32_t* codes = symbols.data<int32_t>();
    std::vector<int8_t> known;
    inPieces(symbols.size(), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            const auto code = static_cast<size_t>(codes[i]);
            if (code >= known.size()) known.resize(std::max(code + 1, 2 * known.size()), -1);
            if (known[code] < 0) known[code] = pattern.matches(symbols.string(i));
            out[i] = known[code];
        }
    });
}

}  // namespace

Value isLike(const Value& x, const Value& pattern, bool ignoreCase) {
    if (!pattern.isString()) throw UserError(1, "The pattern of like must be a string.");
    if (!isLiteral(x.type())) {
        throw UserError(0, fmt::format("The left side of like must be a string, but it is {}.", typeString(x)));
    }
    const LikePattern wanted(pattern.string(), ignoreCase);
    if (x.isScalar()) return Value::ofBool(wanted.matches(x.string()));
    const Vector& strings = x.isMatrix() ? *x.matrix().cells : x.vector();
    Ref<Vector> result = Vector::make(Type::Bool, strings.size());
    auto* out = result->mutableData<int8_t>();
    if (strings.type() == Type::Symbol) {
        matchSymbols(strings, wanted, out);
    } else {
        constexpr int64_t kPiece = 16'384;
        parallelFor((strings.size() + kPiece - 1) / kPiece, [&](int64_t piece) {
            checkCancelled();
            const int64_t end = std::min(strings.size(), (piece + 1) * kPiece);
            for (int64_t i = piece * kPiece; i < end; ++i) out[i] = wanted.matches(strings.string(i));
        });
    }
    result->setMayHaveNull(false);
    return x.isMatrix() ? Value::of(x.matrix().withCells(result)) : Value::of(result);
}

}  // namespace pelorus

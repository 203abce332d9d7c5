#include "runtime/text/column_guess.h"

#include <algorithm>

#include "runtime/text/column_sink.h"
#include "runtime/text/delimited_text.h"
#include "runtime/text/temporal_text.h"

namespace pelorus::text {

namespace {

// Formats of dates that no type reads by default, in pairs that differ in their order of day and month. The first of
// two that read the same fields counts: the month first, but the day where points separate.
struct DateFormat {
    std::string format;
    Type type;
    TemporalPattern pattern;
};

const std::vector<DateFormat>& unusualFormats() {
    static const std::vector<DateFormat> formats = [] {
        std::vector<DateFormat> all;
        const auto add = [&](const std::string& date) {
            const std::pair<const char*, Type> times[] = {{"", Type::Date},
                                                          {" HH:mm", Type::DateMinute},
                                                          {" HH:mm:ss", Type::DateTime},
                                                          {" HH:mm:ss.SSS", Type::Timestamp}};
            for (const auto& [time, type] : times) {
                const std::string format = date + time;
                all.push_back({format, type, TemporalPattern(format, type)});
            }
        };
        constexpr size_t kTimes = 4;
        const auto addPair = [&](const std::string& first, const std::string& second) {
            // Partners are neighbours.
            std::vector<DateFormat> one, other;
            add(first);
            add(second);
            const auto begin = all.end() - static_cast<std::ptrdiff_t>(2 * kTimes);
            one.assign(begin, begin + kTimes);
            other.assign(begin + kTimes, all.end());
            all.resize(all.size() - 2 * kTimes, one[0]);
            for (size_t i = 0; i < kTimes; ++i) {
                all.push_back(one[i]);
                all.push_back(other[i]);
            }
        };
        for (const char separator : {'/', '-', '.'}) {
            const std::string s(1, separator);
            std::string months[] = {"MM" + s + "dd" + s + "yyyy", "M" + s + "d" + s + "yyyy"};
            std::string days[] = {"dd" + s + "MM" + s + "yyyy", "d" + s + "M" + s + "yyyy"};
            for (size_t i = 0; i < 2; ++i) {
                if (separator == '.') std::swap(months[i], days[i]);
                addPair(months[i], days[i]);
            }
        }
        addPair("MMM-d-yyyy", "d-MMM-yyyy");
        addPair("MMM d yyyy", "d MMM yyyy");
        return all;
    }();
    return formats;
}

// Returns whether the formats are worth trying: 1/5/2024, 05-Jan-2024 …
bool mayHaveFormat(std::string_view text) {
    if (text.size() < 8 || text.size() > 24) return false;
    const size_t separator = text.find_first_of("/-. ");
    if (separator == std::string_view::npos || separator < 1 || separator > 3) return false;
    return text.find_first_of("0123456789") != std::string_view::npos && text.find_first_of("/-. ", separator + 1) < 8;
}

// Returns the finer of two types in one column; Void when they do not mix.
Type commonTemporal(Type a, Type b) {
    if (a == Type::Void || a == b) return b;
    static constexpr Type kTimes[] = {Type::Minute, Type::Second, Type::Time, Type::NanoTime};
    static constexpr Type kInstants[] = {Type::DateMinute, Type::DateTime, Type::Timestamp, Type::NanoTimestamp};
    const auto finer = [&](const auto& ladder) {
        const auto x = std::find(std::begin(ladder), std::end(ladder), a),
                   y = std::find(std::begin(ladder), std::end(ladder), b);
        return x == std::end(ladder) || y == std::end(ladder) ? Type::Void : *std::max(x, y);
    };
    const Type time = finer(kTimes);
    return time != Type::Void ? time : finer(kInstants);
}

}  // namespace

void FieldReading::add(bool fits, std::string_view text, int64_t offset) {
    if (fits) {
        ++fitting_;
        return;
    }
    if (odd_++ == 0) {
        firstOdd_ = text.substr(0, 60);
        firstOffset_ = offset;
    } else {
        isSameText_ = isSameText_ && text == firstOdd_;
    }
}

void FieldReading::describe(OddColumn& column) const {
    column.count = odd_;
    column.text = firstOdd_;
    column.offset = firstOffset_;
}

void ColumnGuess::look(std::string_view text, int64_t offset) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    if (text.empty()) return;
    if (fields_++ == 0) {
        first_ = text.substr(0, 60);
        firstOffset_ = offset;
    }
    longest_ = std::max(longest_, text.size());
    if (distinct_.size() < 2000) distinct_.emplace(text);
    if (!formats_.empty() || mayHaveFormat(text)) lookForFormats(text, offset);
    if (!temporal_.isHopeless()) {
        const Type seen = temporalTypeOf(text);
        const Type common = seen == Type::Void ? Type::Void : commonTemporal(temporalType_, seen);
        const bool isTemporal = common != Type::Void;
        if (isTemporal) {
            temporalType_ = common;
            const bool digits = text.find_first_not_of("0123456789") == std::string_view::npos;
            dateDigits_ = dateDigits_ && digits && text.size() == 8;
        }
        temporal_.add(isTemporal, text, offset);
    }
    if (!boolean_.isHopeless()) boolean_.add(text == "true" || text == "false", text, offset);
    if (number_.isHopeless()) return;
    static const TextColumn kLong{"", Type::Long, 0, "", 0}, kDouble{"", Type::Double, 0, "", 0};
    ColumnSink asLong(kLong, 1), asDouble(kDouble, 1);
    const bool isNumber = asDouble.put(0, text) && text.find_first_of("0123456789") != std::string_view::npos;
    number_.add(isNumber, text, offset);
    if (!isNumber) return;
    integer_ = integer_ && asLong.put(0, text);
    if (integer_) {
        const int64_t x = asLong.finish(1)->items<int64_t>()[0];
        largest_ = std::max(largest_, x < 0 ? -(x + 1) : x);
    }
}

void ColumnGuess::lookForFormats(std::string_view text, int64_t offset) {
    const std::vector<DateFormat>& formats = unusualFormats();
    if (formats_.empty()) {
        const int64_t before = fields_ - 1;
        formats_.assign(formats.size(), {before, before > 0 ? first_ : "", firstOffset_, distinct_.size() <= 2});
    }
    for (size_t i = 0; i < formats.size(); ++i) {
        if (formats_[i].isHopeless()) continue;
        int64_t ignored;
        formats_[i].add(formats[i].pattern.parse(text, ignored), text, offset);
    }
}

Type ColumnGuess::numberType() const {
    if (!integer_) return Type::Double;
    return largest_ > INT32_MAX ? Type::Long : Type::Int;
}

Type ColumnGuess::type() const {
    if (fields_ == 0) return Type::String;
    const bool isNumber = number_.fitsAll();
    if (temporal_.fitsAll() && (temporalType_ != Type::Date || !isNumber || !integer_ || dateDigits_))
        return temporalType_;
    if (isNumber) return numberType();
    if (boolean_.fitsAll()) return Type::Bool;
    // Few strings that repeat are symbols; many different or long ones are not.
    const bool repeats = fields_ < 100 || distinct_.size() * 2 < static_cast<size_t>(fields_);
    return repeats && longest_ <= 64 ? Type::Symbol : Type::String;
}

std::optional<OddColumn> ColumnGuess::odd() const {
    const Type guessed = type();
    if (fields_ == 0 || (guessed != Type::Symbol && guessed != Type::String)) return {};
    OddColumn column;
    const FieldReading* best = nullptr;
    const auto consider = [&](const FieldReading& reading, Type type, const std::string& format) {
        const bool fits = reading.fitsNearlyAll() || (reading.fitsAll() && reading.fitting() > 0);
        if (!fits || (best && reading.fitting() <= best->fitting())) return;
        best = &reading;
        column.type = type;
        column.format = format;
    };
    // Runs of eight digits are dates rather than numbers when all of them can be.
    if (temporalType_ != Type::Date || dateDigits_ || number_.fitting() < temporal_.fitting())
        consider(temporal_, temporalType_, "");
    consider(number_, numberType(), "");
    consider(boolean_, Type::Bool, "");
    for (size_t i = 0; i < formats_.size(); ++i)
        consider(formats_[i], unusualFormats()[i].type, unusualFormats()[i].format);
    if (!best) return {};
    best->describe(column);
    if (!column.format.empty()) {
        const auto at = static_cast<size_t>(best - formats_.data());
        const size_t partner = at ^ 1;
        if (formats_[partner].fitting() == best->fitting()) column.otherFormat = unusualFormats()[partner].format;
    }
    return column;
}

}  // namespace pelorus::text

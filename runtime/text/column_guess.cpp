#include "runtime/text/column_guess.h"

#include <algorithm>
#include <array>

#include "runtime/text/column_sink.h"
#include "runtime/text/delimited_text.h"
#include "runtime/text/odd_numbers.h"
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

constexpr std::array<std::pair<const char*, Type>, 6> kTimesOfDay = {{{"", Type::Date},
                                                                      {" HH:mm", Type::DateMinute},
                                                                      {" HH:mm:ss", Type::DateTime},
                                                                      {" HH:mm:ss.SSS", Type::Timestamp},
                                                                      {" h:mm aa", Type::DateMinute},
                                                                      {" h:mm:ss aa", Type::DateTime}}};

const std::vector<DateFormat>& unusualFormats() {
    static const std::vector<DateFormat> formats = [] {
        std::vector<DateFormat> all;
        const auto add = [&](const std::string& date) {
            for (const auto& [time, type] : kTimesOfDay) {
                const std::string format = date + time;
                all.push_back({format, type, TemporalPattern(format, type)});
            }
        };
        constexpr size_t kTimes = kTimesOfDay.size();
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
            std::string month = "M" + s + "d" + s + "yy", day = "d" + s + "M" + s + "yy";
            if (separator == '.') std::swap(month, day);
            addPair(month, day);
        }
        addPair("MMM-d-yyyy", "d-MMM-yyyy");
        addPair("MMM d yyyy", "d MMM yyyy");
        addPair("MMM-d-yy", "d-MMM-yy");
        addPair("MMM d yy", "d MMM yy");
        addPair("yyyy-MM-dd", "yyyy/MM/dd");  // with AM or PM, since others need no format
        all.push_back({"h:mm aa", Type::Minute, TemporalPattern("h:mm aa", Type::Minute)});
        all.push_back({"h:mm:ss aa", Type::Second, TemporalPattern("h:mm:ss aa", Type::Second)});
        return all;
    }();
    return formats;
}

// Returns whether the text ends with AM or PM behind a time of day.
bool hasHalfDay(std::string_view text) {
    return text.size() > 5 && (text.back() == 'M' || text.back() == 'm') && text.find(':') != std::string_view::npos;
}

// Returns whether the formats are worth trying: 1/5/24, 05-Jan-2024, 9:30 AM …
bool mayHaveFormat(std::string_view text) {
    if (text.size() < 6 || text.size() > 26) return false;
    if (hasHalfDay(text)) return true;
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

// Returns where the offset from UTC of a time begins, as +08:00, +0800 or +08 behind a time of day, the blank before it
// included; npos when the text has none.
size_t offsetBegin(std::string_view text) {
    const size_t sign = text.find_last_of("+-");
    if (sign == std::string_view::npos || sign < 11 || text.find(':') > sign) return std::string_view::npos;
    const std::string_view offset = text.substr(sign + 1);
    const bool hasColon = offset.size() == 5 && offset[2] == ':';
    if (!hasColon && offset.size() != 4 && offset.size() != 2) return std::string_view::npos;
    for (size_t i = 0; i < offset.size(); ++i) {
        if (!(hasColon && i == 2) && (offset[i] < '0' || offset[i] > '9')) return std::string_view::npos;
    }
    return text[sign - 1] == ' ' ? sign - 1 : sign;
}

// Returns the format that reads a date and time as it is written, such as yyyy-MM-ddTHH:mm:ss.SSS.
std::string formatLike(std::string_view text) {
    constexpr std::string_view kParts = "yMdHms";
    std::string format;
    size_t part = 0;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
        const size_t count = end - at;
        if (count == 0) {
            format += text[at++];
            continue;
        }
        if (part == 0 && count == 8) {
            format += "yyyyMMdd";
            part = 3;
        } else if (part < kParts.size()) {
            format.append(count, kParts[part++]);
        } else {
            format.append(count, count <= 3 ? 'S' : 'n');
        }
        at = end;
    }
    return format;
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
        isSameString_ = isSameString_ && text == firstOdd_;
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
    lookForOffsets(text, offset);
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
    static const TextColumn kLong{"", Type::Long, 0, "", 0}, kDouble{"", Type::Double, 0, "", 0};
    const bool hasDigits = text.find_first_of("0123456789") != std::string_view::npos;
    if (!boolean_.isHopeless()) boolean_.add(truthOf(text).has_value(), text, offset);
    if (number_.isHopeless() && digits_.isHopeless() && decimalCommas_.isHopeless() && thousandsCommas_.isHopeless())
        return;
    ColumnSink asLong(kLong, 1), asDouble(kDouble, 1);
    const bool isWhole = isInteger(text), fitsLong = isWhole && asLong.put(0, text);
    const bool losesDigits = isWhole && (!fitsLong || hasLeadingZeros(text));
    const bool isNumber = hasDigits && !losesDigits && asDouble.put(0, text);
    lookForDigits(text, offset, isNumber);
    number_.add(isNumber, text, offset);
    if (!isNumber) return;
    integer_ = integer_ && fitsLong;
    if (integer_) {
        const int64_t x = asLong.finish(1)->data<int64_t>()[0];
        largest_ = std::max(largest_, x < 0 ? -(x + 1) : x);
    }
}

void ColumnGuess::Place::note(std::string_view field, int64_t at) {
    if (count++ > 0) return;
    text = field.substr(0, 60);
    offset = at;
}

void ColumnGuess::Place::describe(OddColumn& column, OddKind why) const {
    column.kind = why;
    column.count = 1;
    column.text = text;
    column.offset = offset;
}

// Notes the digits and commas that keep a field from being a number.
void ColumnGuess::lookForDigits(std::string_view text, int64_t offset, bool isNumber) {
    const bool losesDigits = !isNumber && isInteger(text);
    if (losesDigits) lostDigits_.note(text, offset);
    digits_.add(losesDigits || isNumber, text, offset);
    const bool hasDecimal = !isNumber && hasDecimalComma(text), hasThousands = !isNumber && hasThousandsCommas(text);
    if (hasDecimal || hasThousands) commas_.note(text, offset);
    decimalCommas_.add(hasDecimal || isNumber, text, offset);
    thousandsCommas_.add(hasThousands || isNumber, text, offset);
}

// Returns a reading that did not take the fields before the present one.
FieldReading ColumnGuess::readingFrom(int64_t before) const {
    return {before, before > 0 ? first_ : "", firstOffset_, distinct_.size() <= 2};
}

// Looks for times with an offset from UTC, which no type holds.
void ColumnGuess::lookForOffsets(std::string_view text, int64_t offset) {
    const size_t begin = offsetBegin(text);
    const Type type = begin == std::string_view::npos ? Type::Void : temporalTypeOf(text.substr(0, begin));
    const bool hasOffset = type != Type::Void;
    if (!anyOffset_) {
        if (!hasOffset) return;
        sameOffset_ = anyOffset_ = readingFrom(fields_ - 1);
        offsetFormat_ = formatLike(text.substr(0, begin)) + std::string(text.substr(begin));
        offsetType_ = type;
        offsetPattern_.emplace(offsetFormat_, type);
    }
    int64_t ignored;
    anyOffset_->add(hasOffset, text, offset);
    sameOffset_->add(hasOffset && offsetPattern_->parse(text, ignored), text, offset);
}

void ColumnGuess::lookForFormats(std::string_view text, int64_t offset) {
    const std::vector<DateFormat>& formats = unusualFormats();
    if (formats_.empty()) {
        const int64_t before = fields_ - 1;
        formats_.assign(formats.size(), readingFrom(before));
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

// Explains a column whose fields are numbers but for digits and commas.
std::optional<OddColumn> ColumnGuess::oddDigits() const {
    OddColumn column;
    const auto fits = [](const FieldReading& reading) { return reading.fitsAll() || reading.fitsNearlyAll(); };
    if (lostDigits_.count > 0 && fits(digits_)) {
        lostDigits_.describe(column, OddKind::Digits);
    } else if (commas_.count > 0 && (fits(thousandsCommas_) || fits(decimalCommas_))) {
        const int64_t thousands = thousandsCommas_.fitting(), decimals = decimalCommas_.fitting();
        commas_.describe(column, thousands > decimals   ? OddKind::ThousandsCommas
                                 : thousands < decimals ? OddKind::DecimalCommas
                                                        : OddKind::EitherCommas);
    } else {
        return {};
    }
    return column;
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
    if (sameOffset_) consider(*sameOffset_, offsetType_, offsetFormat_);
    if (!best && anyOffset_ && (anyOffset_->fitsAll() || anyOffset_->fitsNearlyAll())) {
        sameOffset_->describe(column);
        column.kind = OddKind::DifferingOffsets;
        return column;
    }
    // Digits and commas explain a column better when they explain all of it.
    const bool isDigits =
        best == &number_ && (digits_.fitsAll() || decimalCommas_.fitsAll() || thousandsCommas_.fitsAll());
    if (!best || isDigits) return oddDigits();
    best->describe(column);
    if (sameOffset_ && best == &*sameOffset_) return column;
    if (!column.format.empty()) {
        const auto at = static_cast<size_t>(best - formats_.data());
        const size_t partner = at ^ 1;
        if (formats_[partner].fitting() == best->fitting()) column.otherFormat = unusualFormats()[partner].format;
    }
    return column;
}

}  // namespace pelorus::text

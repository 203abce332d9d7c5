#include "postgres/definition/sequence_options.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include <fmt/format.h>

#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

int64_t leastOf(int bytes) {
    return bytes == 2 ? INT16_MIN : bytes == 4 ? INT32_MIN : INT64_MIN;
}
int64_t mostOf(int bytes) {
    return bytes == 2 ? INT16_MAX : bytes == 4 ? INT32_MAX : INT64_MAX;
}

int64_t numberIn(const Json& option) {
    const std::string word = wordOf(option["arg"]);
    int64_t value = 0;
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (failure != std::errc() || end != word.data() + word.size())
        throw SqlError(sql_state::kOutOfRange, fmt::format("value \"{}\" is out of range for type bigint", word));
    return value;
}

int bytesOf(Oid type) {
    switch (type) {
        case oid::kInt2:
            return 2;
        case oid::kInt4:
            return 4;
        case oid::kInt8:
            return 8;
        default:
            throw SqlError(sql_state::kInvalidParameter, "sequence type must be smallint, integer, or bigint");
    }
}

[[noreturn]] void refuse(std::string what) {
    throw SqlError(sql_state::kInvalidParameter, std::move(what));
}

// What the options say.
struct Wanted {
    std::optional<int64_t> increment, minimum, maximum, start, restart;
    bool hasMinimum = false, hasMaximum = false;  // said, perhaps as `no minvalue`
    bool restarts = false;
    std::optional<bool> cycles;
    std::optional<Oid> type;
};

Wanted wantedBy(const Json& options) {
    Wanted wanted;
    for (const Json& item : options) {
        const Json& option = bodyOf(item);
        const std::string name = textOf(option, "defname");
        const bool hasValue = option.contains("arg");
        if (name == "increment") {
            wanted.increment = numberIn(option);
        } else if (name == "minvalue") {
            wanted.hasMinimum = true;
            if (hasValue) wanted.minimum = numberIn(option);
        } else if (name == "maxvalue") {
            wanted.hasMaximum = true;
            if (hasValue) wanted.maximum = numberIn(option);
        } else if (name == "start") {
            wanted.start = numberIn(option);
        } else if (name == "restart") {
            wanted.restarts = true;
            if (hasValue) wanted.restart = numberIn(option);
        } else if (name == "cycle") {
            const std::string word = hasValue ? wordOf(option["arg"]) : "on";
            wanted.cycles = word == "on" || word == "true" || word == "1";
        } else if (name == "cache") {
            if (numberIn(option) <= 0) refuse(fmt::format("CACHE ({}) must be greater than zero", numberIn(option)));
        } else if (name == "as") {
            wanted.type = writtenType(bodyOf(option["arg"]).empty() ? option["arg"] : bodyOf(option["arg"])).type;
        } else if (name != "owned_by" && name != "sequence_name") {
            throw SqlError(sql_state::kFeatureNotSupported, fmt::format("the option {} is not supported", name));
        }
    }
    return wanted;
}

void requireBounds(const SequenceEntry& sequence) {
    if (sequence.minimum < leastOf(sequence.bytes))
        refuse(fmt::format("MINVALUE ({}) is out of range for sequence data type", sequence.minimum));
    if (sequence.maximum > mostOf(sequence.bytes))
        refuse(fmt::format("MAXVALUE ({}) is out of range for sequence data type", sequence.maximum));
    if (sequence.minimum >= sequence.maximum)
        refuse(fmt::format("MINVALUE ({}) must be less than MAXVALUE ({})", sequence.minimum, sequence.maximum));
    if (sequence.start < sequence.minimum)
        refuse(fmt::format("START value ({}) cannot be less than MINVALUE ({})", sequence.start, sequence.minimum));
    if (sequence.start > sequence.maximum)
        refuse(fmt::format("START value ({}) cannot be greater than MAXVALUE ({})", sequence.start, sequence.maximum));
}

void apply(const Wanted& wanted, SequenceEntry& sequence, bool isNew) {
    if (wanted.type) sequence.bytes = bytesOf(*wanted.type);
    if (wanted.increment) sequence.increment = *wanted.increment;
    if (sequence.increment == 0) refuse("INCREMENT must not be zero");
    if (wanted.cycles) sequence.cycles = *wanted.cycles;
    const bool isUp = sequence.increment > 0;
    if (isNew || wanted.hasMinimum) sequence.minimum = wanted.minimum.value_or(isUp ? 1 : leastOf(sequence.bytes));
    if (isNew || wanted.hasMaximum || (wanted.type && sequence.maximum > mostOf(sequence.bytes)))
        sequence.maximum = wanted.maximum.value_or(isUp ? mostOf(sequence.bytes) : -1);
    if (wanted.start || isNew) sequence.start = wanted.start.value_or(isUp ? sequence.minimum : sequence.maximum);
    requireBounds(sequence);
    if (isNew || wanted.restarts) {
        sequence.next = wanted.restart.value_or(sequence.start);
        sequence.isEnded = false;
    }
    if (sequence.next < sequence.minimum)
        refuse(fmt::format("RESTART value ({}) cannot be less than MINVALUE ({})", sequence.next, sequence.minimum));
    if (sequence.next > sequence.maximum)
        refuse(fmt::format("RESTART value ({}) cannot be greater than MAXVALUE ({})", sequence.next, sequence.maximum));
}

}  // namespace

SequenceEntry sequenceOf(const Json& options, Oid type) {
    SequenceEntry sequence;
    sequence.bytes = bytesOf(type);
    apply(wantedBy(options), sequence, true);
    return sequence;
}

void alterSequence(SequenceEntry& sequence, const Json& options) {
    apply(wantedBy(options), sequence, false);
}

std::vector<std::string> ownerOf(const Json& options) {
    for (const Json& item : options)
        if (textOf(bodyOf(item), "defname") == "owned_by") return namesOf(bodyOf(bodyOf(item)["arg"])["items"]);
    return {};
}

Oid typeOf(const SequenceEntry& sequence) {
    return sequence.bytes == 2 ? oid::kInt2 : sequence.bytes == 4 ? oid::kInt4 : oid::kInt8;
}

}  // namespace pelorus::postgres

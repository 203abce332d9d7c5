// Names and types of delimited text, from a sample: IMP-02.
#include <algorithm>
#include <cstring>
#include <set>

#include "common/error.h"
#include "runtime/text/column_sink.h"
#include "runtime/text/delimited_text.h"
#include "runtime/text/field_scanner.h"

namespace pelorus::text {

namespace {

constexpr size_t kSamplePlaces = 16;
constexpr size_t kSampleBytes = 32 << 10;

// What all fields of a column that were looked at have in common.
struct Guess {
    int64_t fields = 0;
    bool integer = true, number = true, boolean = true, dateDigits = true;
    int64_t largest = 0;
    Type temporal = Type::Void;
    bool temporalOnly = true;
    std::set<std::string> distinct;
    size_t longest = 0;

    void look(std::string_view text);
    Type type() const;
    bool mayWrap() const { return type() == Type::Int && largest > 46340; }  // the root of the largest INT
};

// The finer of two types of which a column has both; Void when they do not mix.
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

void Guess::look(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    if (text.empty()) return;
    ++fields;
    longest = std::max(longest, text.size());
    if (distinct.size() < 2000) distinct.emplace(text);
    const bool digits = text.find_first_not_of("0123456789") == std::string_view::npos;
    if (temporalOnly) {
        const Type seen = temporalTypeOf(text);
        if (seen == Type::Void)
            temporalOnly = false;
        else if (const Type common = commonTemporal(temporal, seen); common == Type::Void)
            temporalOnly = false;
        else
            temporal = common;
    }
    dateDigits = dateDigits && digits && text.size() == 8;
    boolean = boolean && (text == "true" || text == "false");
    if (!number) return;
    static const TextColumn kLong{"", Type::Long, 0, "", 0}, kDouble{"", Type::Double, 0, "", 0};
    ColumnSink asLong(kLong, 1), asDouble(kDouble, 1);
    number = asDouble.put(0, text) && text.find_first_of("0123456789") != std::string_view::npos;
    integer = integer && asLong.put(0, text);
    if (integer) {
        const int64_t x = asLong.finish(1)->items<int64_t>()[0];
        largest = std::max(largest, x < 0 ? -(x + 1) : x);
    }
}

Type Guess::type() const {
    if (fields == 0) return Type::String;
    if (temporalOnly && (temporal != Type::Date || !integer || dateDigits)) return temporal;
    if (integer) return largest > INT32_MAX ? Type::Long : Type::Int;
    if (number) return Type::Double;
    if (boolean) return Type::Bool;
    // Few texts that repeat are symbols; many different or long ones are not.
    const bool repeats = fields < 100 || distinct.size() * 2 < static_cast<size_t>(fields);
    return repeats && longest <= 64 ? Type::Symbol : Type::String;
}

void sampleLines(std::string_view lines, char delimiter, std::vector<Guess>& guesses) {
    FieldScanner scanner(lines, delimiter);
    while (!scanner.atEnd()) {
        if (guesses.size() > 1 && scanner.atBlankLine()) {
            scanner.skipBlankLine();
            continue;
        }
        bool last = false;
        for (size_t field = 0; !last; ++field) {
            const Field next = scanner.next();
            last = next.lastOfLine;
            if (field < guesses.size()) guesses[field].look(next.text);
        }
    }
}

bool isNameByte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0;
}

// A name that scripts can write: other characters become '_', and it begins with a letter.
std::string validName(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    std::string name(text);
    for (char& c : name) {
        if (!isNameByte(c)) c = '_';
    }
    const char first = name.empty() ? '_' : name[0];
    if (first == '_' || (first >= '0' && first <= '9')) name.insert(0, 1, 'c');
    return name;
}

void makeDistinct(std::vector<std::string>& names) {
    std::set<std::string> used;
    for (std::string& name : names) {
        std::string candidate = name;
        for (int i = 1; !used.insert(candidate).second; ++i) candidate = name + "_" + std::to_string(i);
        name = candidate;
    }
}

std::vector<std::string> fieldsOfLine(std::string_view lines, char delimiter, size_t& end, int64_t& innerLines) {
    std::vector<std::string> fields;
    FieldScanner scanner(lines, delimiter);
    for (bool last = scanner.atEnd(); !last;) {
        const Field field = scanner.next();
        fields.emplace_back(field.text);
        last = field.lastOfLine;
    }
    end = std::min(scanner.position(), lines.size());
    innerLines = scanner.takeInnerLines();
    return fields;
}

}  // namespace

TextHead readHead(std::string_view bytes, const TextOptions& options) {
    TextHead head;
    if (bytes.starts_with("\xEF\xBB\xBF")) head.rowsBegin = 3;
    for (int64_t skipped = 0; skipped < options.skipLines && head.rowsBegin < bytes.size(); ++skipped) {
        const size_t lineEnd = bytes.find('\n', head.rowsBegin);
        head.rowsBegin = lineEnd == std::string_view::npos ? bytes.size() : lineEnd + 1;
        ++head.firstLine;
    }
    size_t lineBytes = 0;
    int64_t innerLines = 0;
    const std::vector<std::string> first =
        fieldsOfLine(bytes.substr(head.rowsBegin), options.delimiter, lineBytes, innerLines);
    bool isHeader = options.header == Header::Yes;
    if (options.header == Header::Detect) {
        isHeader = !first.empty() && std::none_of(first.begin(), first.end(), [](const std::string& field) {
            const size_t at = field.find_first_not_of(" +-.");
            return at != std::string::npos && field[at] >= '0' && field[at] <= '9';
        });
    }
    for (size_t i = 0; i < first.size(); ++i)
        head.names.push_back(isHeader ? validName(first[i]) : "col" + std::to_string(i));
    makeDistinct(head.names);
    if (isHeader) {
        head.rowsBegin += lineBytes;
        head.firstLine += 1 + innerLines;
    }
    return head;
}

TextSchema detectSchema(std::string_view bytes, const TextOptions& options) {
    const TextHead head = readHead(bytes, options);
    if (head.names.empty()) throw UserError("The file is empty: there are no columns to detect.");
    std::vector<Guess> guesses(head.names.size());
    const std::string_view lines = bytes.substr(head.rowsBegin);
    if (lines.size() <= kSamplePlaces * kSampleBytes) {
        sampleLines(lines, options.delimiter, guesses);
    } else {
        for (size_t place = 0; place < kSamplePlaces; ++place) {
            size_t begin = lines.size() / kSamplePlaces * place;
            // A quoted line break could lie here and make a wrong line; one of thousands does no harm that a schema
            // would not repair.
            if (place > 0) begin = lines.find('\n', begin) + 1;
            if (begin == 0 && place > 0) break;
            std::string_view sample = lines.substr(begin, kSampleBytes);
            if (const size_t end = sample.rfind('\n'); end != std::string_view::npos)
                sample = sample.substr(0, end + 1);
            sampleLines(sample, options.delimiter, guesses);
        }
    }
    TextSchema schema;
    for (size_t i = 0; i < guesses.size(); ++i) {
        schema.push_back({head.names[i], guesses[i].type(), 0, "", static_cast<int>(i), false, guesses[i].mayWrap()});
    }
    return schema;
}

std::vector<size_t> cutAtLines(std::string_view bytes, const TextOptions& options, size_t pieceBytes, bool complete) {
    std::vector<size_t> ends;
    size_t begin = 0;
    if (std::memchr(bytes.data(), '"', bytes.size()) == nullptr) {
        while (begin < bytes.size()) {
            const size_t lineEnd =
                begin + pieceBytes >= bytes.size() ? std::string_view::npos : bytes.find('\n', begin + pieceBytes);
            size_t end = lineEnd == std::string_view::npos ? bytes.size() : lineEnd + 1;
            if (end == bytes.size() && !complete) end = bytes.rfind('\n') + 1;  // npos + 1 is 0
            if (end <= begin) break;
            ends.push_back(end);
            begin = end;
        }
        return ends;
    }
    // A quote opens a field only at its beginning, so line ends are known by walking the fields from the start.
    FieldScanner scanner(bytes, options.delimiter);
    size_t lastLineEnd = 0;
    while (!scanner.atEnd()) {
        if (scanner.next().lastOfLine) {
            const size_t at = std::min(scanner.position(), bytes.size());
            const bool whole = at > 0 && bytes[at - 1] == '\n' && !scanner.unterminated();
            if (!whole && !complete) break;
            lastLineEnd = at;
            if (lastLineEnd - begin >= pieceBytes) {
                ends.push_back(lastLineEnd);
                begin = lastLineEnd;
            }
        }
    }
    if (complete) lastLineEnd = bytes.size();
    if (lastLineEnd > begin) ends.push_back(lastLineEnd);
    return ends;
}

}  // namespace pelorus::text

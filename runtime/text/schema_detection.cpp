// Detection of names and types of delimited text, from a sample.
#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include "common/error.h"
#include "runtime/text/delimited_text.h"
#include "runtime/text/field_scanner.h"
#include "runtime/text/odd_numbers.h"

namespace pelorus::text {

namespace {

constexpr size_t kSamplePlaces = 16;
constexpr size_t kSampleBytes = 32 << 10;

// Adds the fields of lines, which begin at `offset`, to the guesses.
void sampleLines(std::string_view lines, size_t offset, char delimiter, std::vector<ColumnGuess>& guesses) {
    FieldScanner scanner(lines, delimiter);
    while (!scanner.atEnd()) {
        if (guesses.size() > 1 && scanner.atBlankLine()) {
            scanner.skipBlankLine();
            continue;
        }
        bool last = false;
        for (size_t field = 0; !last; ++field) {
            const size_t begin = offset + scanner.position();
            const Field next = scanner.next();
            last = next.lastOfLine;
            if (field < guesses.size()) guesses[field].look(next.text, static_cast<int64_t>(begin));
        }
    }
}

bool isNameByte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0;
}

// Returns a name that scripts can write: other characters become '_', and it begins with a letter.
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
        head.headings = first;
        head.rowsBegin += lineBytes;
        head.firstLine += 1 + innerLines;
    }
    return head;
}

char detectDelimiter(std::string_view bytes, const TextOptions& options) {
    constexpr int kSampledLines = 20;
    size_t begin = bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    for (int64_t skipped = 0; skipped < options.skipLines && begin < bytes.size(); ++skipped)
        begin = std::min(bytes.find('\n', begin), bytes.size() - 1) + 1;
    const std::string_view lines = bytes.substr(begin);
    // How a delimiter cuts the first lines.
    struct Cut {
        int fields = 0;                // fields of each line; 0 when lines differ, or are less than two
        bool hasCommas = false;        // some fields contain commas
        bool hasDecimalCommas = true;  // wherever a field has a comma
    };
    const auto cutBy = [&](char delimiter) {
        FieldScanner scanner(lines, delimiter);
        Cut cut;
        int lineCount = 0;
        while (lineCount < kSampledLines && !scanner.atEnd()) {
            if (scanner.atBlankLine()) {
                scanner.skipBlankLine();
                continue;
            }
            int fields = 0;
            for (bool last = false; !last; ++fields) {
                const Field field = scanner.next();
                last = field.lastOfLine;
                if (field.text.find(',') == std::string_view::npos) continue;
                cut.hasCommas = true;
                cut.hasDecimalCommas = cut.hasDecimalCommas && hasDecimalComma(field.text);
            }
            if (cut.fields != 0 && fields != cut.fields) return Cut{};
            cut.fields = fields;
            ++lineCount;
        }
        return lineCount < 2 ? Cut{} : cut;
    };
    const int byCommas = cutBy(',').fields;
    char best = ',';
    int most = 1;
    for (const char candidate : {'\t', ';', '|'}) {
        const Cut cut = cutBy(candidate);
        // Commas that cut alike are preferred as the delimiter, unless all of them are in numbers.
        if (byCommas > 1 && !(cut.hasCommas && cut.hasDecimalCommas)) continue;
        if (cut.fields > most) {
            best = candidate;
            most = cut.fields;
        }
    }
    return best;
}

TextSchema detectSchema(std::string_view bytes, const TextOptions& options, std::vector<OddColumn>* odd) {
    const TextHead head = readHead(bytes, options);
    if (head.names.empty()) throw UserError("The file is empty: there are no columns to detect.");
    std::vector<ColumnGuess> guesses(head.names.size());
    const std::string_view lines = bytes.substr(head.rowsBegin);
    if (lines.size() <= kSamplePlaces * kSampleBytes) {
        sampleLines(lines, head.rowsBegin, options.delimiter, guesses);
    } else {
        for (size_t place = 0; place < kSamplePlaces; ++place) {
            size_t begin = lines.size() / kSamplePlaces * place;
            // A quoted line break could be here and make a wrong line; one of thousands does no harm that a schema
            // would not repair.
            if (place > 0) begin = lines.find('\n', begin) + 1;
            if (begin == 0 && place > 0) break;
            std::string_view sample = lines.substr(begin, kSampleBytes);
            if (const size_t end = sample.rfind('\n'); end != std::string_view::npos)
                sample = sample.substr(0, end + 1);
            sampleLines(sample, head.rowsBegin + begin, options.delimiter, guesses);
        }
    }
    TextSchema schema;
    for (size_t i = 0; i < guesses.size(); ++i) {
        schema.push_back(
            {head.names[i], guesses[i].type(), 0, "", static_cast<int>(i), false, guesses[i].mayWrap(), true});
        if (!odd) continue;
        if (std::optional<OddColumn> column = guesses[i].odd()) {
            column->column = i;
            odd->push_back(std::move(*column));
        }
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
    // A quote opens a field only at its beginning, so line ends are found by scanning the fields from the start.
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

#include "server/postgres/copy/copy_fields.h"

#include <cstring>
#include <vector>

#include "postgres/sql_error.h"
#include "server/postgres/wire/wire_messages.h"

namespace pelorus::postgres {
namespace {

constexpr std::string_view kBadFormat = "22P04";
constexpr size_t kMaxRowBytes = size_t{1} << 30;
constexpr std::string_view kSignature("PGCOPY\n\xff\r\n\0", 11);

void requireShort(size_t bytes) {
    if (bytes > kMaxRowBytes) throw SqlError(sql_state::kProgramLimit, "a row of COPY has at most 1 GB");
}

int digitOf(char c, int base) {
    const int x = c >= '0' && c <= '9'                     ? c - '0'
                  : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                           : base;
    return x < base ? x : -1;
}

// The text form: a line a row, fields between delimiters, backslashes before what is not meant as itself.
class TextFields final : public CopyFields {
public:
    explicit TextFields(const CopyForm& form) : form_(form), skipsHeader_(form.hasHeader && !form.matchesHeader) {}

    int64_t line() const override { return line_; }

    void feed(std::string_view bytes, const TakeRow& take) override {
        while (!isDone_ && !bytes.empty()) {
            const size_t end = endOfLine(bytes);
            if (end == std::string_view::npos) {
                held_ += bytes;
                requireShort(held_.size());
                return;
            }
            if (held_.empty()) {
                takeLine(bytes.substr(0, end), take);
            } else {
                held_ += bytes.substr(0, end);
                takeLine(held_, take);
                held_.clear();
            }
            bytes.remove_prefix(end + 1);
        }
    }

    void finish(const TakeRow& take) override {
        if (!isDone_ && !held_.empty()) takeLine(held_, take);
        held_.clear();
    }

private:
    // The place of the newline that ends the line: one behind a backslash belongs to the field.
    size_t endOfLine(std::string_view bytes) {
        size_t from = 0;
        for (;;) {
            const size_t end = bytes.find('\n', from);
            if (end == std::string_view::npos) return end;
            size_t slashes = 0;
            while (slashes < end && bytes[end - 1 - slashes] == '\\') ++slashes;
            if (slashes == end)
                while (slashes - end < held_.size() && held_[held_.size() - 1 - (slashes - end)] == '\\') ++slashes;
            if (slashes % 2 == 0) return end;
            from = end + 1;
        }
    }

    void takeLine(std::string_view line, const TakeRow& take) {
        ++line_;
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line == "\\.") {
            isDone_ = true;
            return;
        }
        if (std::exchange(skipsHeader_, false)) return;
        fields_.clear();
        const bool isPlain = line.find('\\') == std::string_view::npos;
        if (isPlain) {
            cutPlain(line);
        } else {
            cutEscaped(line);
        }
        take(fields_);
    }

    void addField(std::string_view raw, std::string_view value) { fields_.push_back({value, raw == form_.null}); }

    void cutPlain(std::string_view line) {
        for (;;) {
            const auto* found = static_cast<const char*>(std::memchr(line.data(), form_.delimiter, line.size()));
            if (found == nullptr) break;
            const auto length = static_cast<size_t>(found - line.data());
            const std::string_view field = line.substr(0, length);
            addField(field, field);
            line.remove_prefix(length + 1);
        }
        addField(line, line);
    }

    void cutEscaped(std::string_view line) {
        plain_.clear();
        plain_.reserve(line.size());  // views into it stay
        size_t begin = 0;
        for (size_t i = 0; i <= line.size(); ++i) {
            if (i < line.size() && line[i] == '\\') {
                ++i;
                continue;
            }
            if (i < line.size() && line[i] != form_.delimiter) continue;
            const std::string_view raw = line.substr(begin, i - begin);
            const size_t from = plain_.size();
            unescape(raw);
            addField(raw, std::string_view(plain_).substr(from));
            begin = i + 1;
            if (begin > line.size()) return;
        }
        // The line ends in a backslash.
        const std::string_view raw = line.substr(begin);
        const size_t from = plain_.size();
        unescape(raw);
        addField(raw, std::string_view(plain_).substr(from));
    }

    void unescape(std::string_view raw) {
        constexpr std::string_view kLetters = "btnvfr";
        for (size_t i = 0; i < raw.size(); ++i) {
            if (raw[i] != '\\' || i + 1 == raw.size()) {
                plain_ += raw[i];
                continue;
            }
            const char c = raw[++i];
            const size_t letter = kLetters.find(c);
            if (letter != std::string_view::npos) {
                plain_ += static_cast<char>('\b' + letter);
            } else if (digitOf(c, 8) >= 0) {
                i += number(raw.substr(i), 8, 3) - 1;
            } else if (c == 'x' && i + 1 < raw.size() && digitOf(raw[i + 1], 16) >= 0) {
                i += number(raw.substr(i + 1), 16, 2);
            } else {
                plain_ += c;
            }
        }
    }

    // Appends the byte that some digits write, and returns how many they are.
    size_t number(std::string_view digits, int base, size_t most) {
        int value = 0;
        size_t count = 0;
        while (count < most && count < digits.size() && digitOf(digits[count], base) >= 0)
            value = value * base + digitOf(digits[count++], base);
        plain_ += static_cast<char>(value);
        return count;
    }

    const CopyForm& form_;
    bool skipsHeader_;
    bool isDone_ = false;
    int64_t line_ = 0;
    std::string held_;   // the beginning of a line
    std::string plain_;  // fields without escapes
    std::vector<CopyField> fields_;
};

// CSV: fields in quotes may have delimiters and ends of lines.
class CsvFields final : public CopyFields {
public:
    CsvFields(const CopyForm& form, size_t columns)
        : form_(form), skipsHeader_(form.hasHeader && !form.matchesHeader), columns_(columns) {}

    int64_t line() const override { return line_; }

    void feed(std::string_view bytes, const TakeRow& take) override {
        for (const char c : bytes) {
            if (isDone_) return;
            next(c, take);
        }
        requireShort(plain_.size());
    }

    void finish(const TakeRow& take) override {
        if (isQuoted_ && !mayEndQuote_) throw SqlError(kBadFormat, "unterminated CSV quoted field");
        if (!isDone_ && (!plain_.empty() || !ends_.empty() || hadQuotes_)) endLine(take);
    }

private:
    struct FieldEnd {
        size_t at;
        bool hadQuotes;
    };

    void next(char c, const TakeRow& take) {
        if (isQuoted_) {
            if (mayEndQuote_) {
                mayEndQuote_ = false;
                if (c == form_.quote) {
                    plain_ += c;
                    return;
                }
                isQuoted_ = false;
            } else if (isEscaped_) {
                isEscaped_ = false;
                if (c != form_.quote && c != form_.escape) plain_ += form_.escape;
                plain_ += c;
                return;
            } else if (c == form_.escape && form_.escape != form_.quote) {
                isEscaped_ = true;
                return;
            } else if (c == form_.quote) {
                mayEndQuote_ = form_.escape == form_.quote;
                isQuoted_ = mayEndQuote_;
                keptBytes_ = plain_.size();
                return;
            } else {
                if (c == '\n') ++line_;
                plain_ += c;
                return;
            }
        }
        if (c == form_.quote) {
            isQuoted_ = hadQuotes_ = true;
        } else if (c == form_.delimiter) {
            endField();
        } else if (c == '\n') {
            endLine(take);
        } else {
            plain_ += c;
        }
    }

    void endField() {
        ends_.push_back({plain_.size(), hadQuotes_});
        hadQuotes_ = false;
        keptBytes_ = plain_.size();
    }

    void endLine(const TakeRow& take) {
        ++line_;
        if (plain_.size() > keptBytes_ && plain_.back() == '\r') plain_.pop_back();
        const bool isEnd = ends_.empty() && !hadQuotes_ && plain_ == "\\.";
        endField();
        isDone_ = isEnd;
        if (!isEnd && !std::exchange(skipsHeader_, false)) give(take);
        plain_.clear();
        keptBytes_ = 0;
        ends_.clear();
        isQuoted_ = mayEndQuote_ = isEscaped_ = false;
    }

    void give(const TakeRow& take) {
        fields_.clear();
        size_t begin = 0;
        for (const FieldEnd& end : ends_) {
            const std::string_view value = std::string_view(plain_).substr(begin, end.at - begin);
            fields_.push_back({value, !end.hadQuotes && value == form_.null});
            begin = end.at;
        }
        // An empty line is one empty field, also of a table without columns.
        if (columns_ == 0 && fields_.size() == 1 && fields_[0].bytes.empty()) fields_.clear();
        take(fields_);
    }

    const CopyForm& form_;
    bool skipsHeader_;
    const size_t columns_;
    bool isDone_ = false;
    bool isQuoted_ = false;     // within quotes
    bool mayEndQuote_ = false;  // the last byte was a quote: another one makes it one of the value
    bool isEscaped_ = false;
    bool hadQuotes_ = false;  // the field has quotes: it is not NULL
    int64_t line_ = 0;
    std::string plain_;     // of the fields of the line so far
    size_t keptBytes_ = 0;  // of plain_: fields before and what stood in quotes, where no '\r' ends the line
    std::vector<FieldEnd> ends_;
    std::vector<CopyField> fields_;
};

// The binary form: a signature, and rows of fields with their lengths.
class BinaryFields final : public CopyFields {
public:
    int64_t line() const override { return row_; }

    void feed(std::string_view bytes, const TakeRow& take) override {
        if (isDone_ && !bytes.empty()) refuseRest();
        held_ += bytes;
        requireShort(held_.size());
        std::string_view rest = held_;
        if (!hasHead_ && !takeHead(rest)) return;
        while (!isDone_ && takeRow(rest, take)) {
        }
        held_.erase(0, held_.size() - rest.size());
        if (isDone_ && !held_.empty()) refuseRest();
    }

    void finish(const TakeRow&) override {
        if (!hasHead_) throw SqlError(kBadFormat, "COPY file signature not recognized");
        if (!held_.empty()) throw SqlError(kBadFormat, "unexpected EOF in COPY data");
    }

private:
    [[noreturn]] static void refuseRest() { throw SqlError(kBadFormat, "received copy data after EOF marker"); }

    bool takeHead(std::string_view& rest) {
        constexpr size_t kHeadBytes = kSignature.size() + 8;
        const size_t known = std::min(rest.size(), kSignature.size());
        if (rest.substr(0, known) != kSignature.substr(0, known))
            throw SqlError(kBadFormat, "COPY file signature not recognized");
        if (rest.size() < kHeadBytes) return false;
        MessageReader reader(rest.substr(kSignature.size(), 8));
        const int32_t flags = reader.int32(), extension = reader.int32();
        if ((flags >> 16) != 0 || extension < 0) throw SqlError(kBadFormat, "invalid COPY file header");
        if (rest.size() - kHeadBytes < static_cast<size_t>(extension)) return false;
        rest.remove_prefix(kHeadBytes + static_cast<size_t>(extension));
        hasHead_ = true;
        return true;
    }

    bool takeRow(std::string_view& rest, const TakeRow& take) {
        if (rest.size() < 2) return false;
        std::string_view row = rest;
        const int16_t count = MessageReader(row.substr(0, 2)).int16();
        row.remove_prefix(2);
        if (count == -1) {
            isDone_ = true;
            rest = row;
            return false;
        }
        fields_.clear();
        for (int16_t i = 0; i < count; ++i) {
            if (row.size() < 4) return false;
            const int32_t length = MessageReader(row.substr(0, 4)).int32();
            row.remove_prefix(4);
            if (length < -1) throw SqlError(kBadFormat, "invalid field size");
            const size_t bytes = length < 0 ? 0 : static_cast<size_t>(length);
            if (row.size() < bytes) return false;
            fields_.push_back({row.substr(0, bytes), length < 0});
            row.remove_prefix(bytes);
        }
        ++row_;
        take(fields_);
        rest = row;
        return true;
    }

    bool hasHead_ = false, isDone_ = false;
    int64_t row_ = 0;
    std::string held_;
    std::vector<CopyField> fields_;
};

}  // namespace

std::unique_ptr<CopyFields> makeCopyFields(const CopyForm& form, size_t columns) {
    if (form.kind == CopyForm::Kind::Binary) return std::make_unique<BinaryFields>();
    if (form.kind == CopyForm::Kind::Csv) return std::make_unique<CsvFields>(form, columns);
    return std::make_unique<TextFields>(form);
}

}  // namespace pelorus::postgres

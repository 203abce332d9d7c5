#include "server/postgres/copy_out.h"

#include <algorithm>
#include <cctype>

#include "postgres/sql_error.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "server/postgres/answer_writer.h"
#include "server/postgres/wire/wire_messages.h"

namespace pelorus::postgres {
namespace {

constexpr std::string_view kSignature("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", 19);
constexpr int64_t kRowsPerCheck = 1024;

std::string lowered(std::string_view word) {
    std::string result(word);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

bool isOn(const Option& option) {
    const std::string word = lowered(option.value);
    return word.empty() || word == "true" || word == "on" || word == "1" || word == "match";
}

char oneCharacter(const Option& option) {
    if (option.value.size() == 1 && option.value[0] != '\n' && option.value[0] != '\r') return option.value[0];
    throw SqlError(sql_state::kFeatureNotSupported, "COPY " + option.name + " must be a single one-byte character");
}

void takeFormat(CopyForm& form, std::string_view value) {
    const std::string format = lowered(value);
    if (format == "csv") {
        form.kind = CopyForm::Kind::Csv;
        form.delimiter = ',';
        form.null.clear();
    } else if (format == "binary") {
        form.kind = CopyForm::Kind::Binary;
    } else if (format != "text") {
        throw SqlError(sql_state::kInvalidParameter, "COPY format \"" + std::string(value) + "\" not recognized");
    }
}

void takeOption(CopyForm& form, const Option& option) {
    if (option.name == "format" || option.name == "freeze") return;
    if (option.name == "delimiter") {
        form.delimiter = oneCharacter(option);
    } else if (option.name == "null") {
        form.null = option.value;
    } else if (option.name == "header") {
        form.hasHeader = isOn(option);
    } else if (option.name == "quote") {
        form.quote = form.escape = oneCharacter(option);
    } else if (option.name == "escape") {
        form.escape = oneCharacter(option);
    } else if (option.name == "force_quote") {
        form.quotesAll = option.value == "*" || option.value.empty();
        if (!form.quotesAll) form.quoted.push_back(option.value);
    } else if (option.name == "encoding") {
        if (lowered(option.value) != "utf8" && lowered(option.value) != "utf-8")
            throw SqlError(sql_state::kInvalidParameter, "COPY is in UTF8 alone");
    } else {
        throw SqlError(sql_state::kSyntaxError, "option \"" + option.name + "\" not recognized");
    }
}

// Writes the rows of one copy.
class CopyWriter {
public:
    CopyWriter(AnswerWriter& out, const std::vector<OutputColumn>& columns, const CopyForm& form)
        : out_(out), columns_(columns), form_(form) {}

    void begin() {
        MessageWriter& messages = out_.messages();
        const bool isBinary = form_.kind == CopyForm::Kind::Binary;
        messages.begin('H');
        messages.byte(isBinary ? 1 : 0);
        messages.int16(static_cast<int16_t>(columns_.size()));
        for (size_t i = 0; i < columns_.size(); ++i) messages.int16(isBinary ? 1 : 0);
        messages.end();
        if (isBinary) {
            messages.begin('d');
            messages.raw(kSignature);
            messages.end();
        } else if (form_.hasHeader) {
            messages.begin('d');
            for (size_t i = 0; i < columns_.size(); ++i) appendField(i, columns_[i].label, false);
            messages.byte('\n');
            messages.end();
        }
    }

    void row(const std::vector<std::unique_ptr<FieldEncoder>>& encoders, int64_t row) {
        MessageWriter& messages = out_.messages();
        messages.begin('d');
        try {
            if (form_.kind == CopyForm::Kind::Binary) {
                messages.int16(static_cast<int16_t>(columns_.size()));
                for (const auto& encoder : encoders) encoder->append(messages.buffer(), row);
            } else {
                textRow(encoders, row);
            }
        } catch (...) {
            messages.abandon();
            throw;
        }
        messages.end();
        out_.flushIfLong();
    }

    void end() {
        if (form_.kind == CopyForm::Kind::Binary) {
            out_.messages().begin('d');
            out_.messages().int16(-1);
            out_.messages().end();
        }
        out_.writeBare('c');
    }

private:
    void textRow(const std::vector<std::unique_ptr<FieldEncoder>>& encoders, int64_t row) {
        for (size_t i = 0; i < encoders.size(); ++i) {
            field_.clear();
            encoders[i]->append(field_, row);
            const bool isNull = field_.starts_with("\xff\xff\xff\xff");
            appendField(i, std::string_view(field_).substr(sizeof(int32_t)), isNull);
        }
        out_.messages().byte('\n');
    }

    void appendField(size_t i, std::string_view field, bool isNull) {
        std::string& out = out_.messages().buffer();
        if (i > 0) out += form_.delimiter;
        if (isNull) {
            out += form_.null;
        } else if (form_.kind == CopyForm::Kind::Text) {
            appendCopyText(out, field, form_.delimiter);
        } else {
            const bool isForced = form_.quotesAll || std::find(form_.quoted.begin(), form_.quoted.end(),
                                                               columns_[i].label) != form_.quoted.end();
            appendCsv(out, field, form_, isForced, columns_.size() == 1);
        }
    }

    AnswerWriter& out_;
    const std::vector<OutputColumn>& columns_;
    const CopyForm& form_;
    std::string field_;
};

}  // namespace

CopyForm copyFormOf(const Statement& statement) {
    CopyForm form;
    for (const Option& option : statement.options)
        if (option.name == "format") takeFormat(form, option.value);
    for (const Option& option : statement.options) takeOption(form, option);
    if (form.kind == CopyForm::Kind::Binary && statement.options.size() > 1) {
        for (const Option& option : statement.options)
            if (option.name == "delimiter" || option.name == "null" || option.name == "header")
                throw SqlError(sql_state::kSyntaxError, "cannot specify " + option.name + " in BINARY mode");
    }
    return form;
}

void appendCopyText(std::string& out, std::string_view field, char delimiter) {
    // The letters that stand for control characters, backspace first.
    constexpr std::string_view kLetters = "btnvfr";
    size_t whole = 0;  // bytes before it were appended
    for (size_t i = 0; i < field.size(); ++i) {
        const char c = field[i];
        const bool isControl = c >= '\b' && c <= '\r';
        if (!isControl && c != '\\' && c != delimiter) continue;
        out += field.substr(whole, i - whole);
        out += '\\';
        out += isControl ? kLetters[static_cast<size_t>(c - '\b')] : c;
        whole = i + 1;
    }
    out += field.substr(whole);
}

void appendCsv(std::string& out, std::string_view field, const CopyForm& form, bool isForced, bool isAlone) {
    const auto needsQuotes = [&](char c) { return c == form.delimiter || c == form.quote || c == '\n' || c == '\r'; };
    // The mark of NULL is quoted where it is a value, and so is the mark of an end.
    if (!isForced && field != form.null && !(isAlone && field == "\\.") &&
        std::none_of(field.begin(), field.end(), needsQuotes)) {
        out += field;
        return;
    }
    out += form.quote;
    for (const char c : field) {
        if (c == form.quote || c == form.escape) out += form.escape;
        out += c;
    }
    out += form.quote;
}

void copyOut(AnswerWriter& out, const MemoryTable& rows, const std::vector<OutputColumn>& columns, const CopyForm& form,
             const FieldStyle& style, const Context& context) {
    std::vector<std::unique_ptr<FieldEncoder>> encoders;
    for (size_t i = 0; i < columns.size(); ++i) {
        encoders.push_back(
            makeFieldEncoder(columns[i], form.kind == CopyForm::Kind::Binary, rows.column(static_cast<int>(i)), style));
    }
    CopyWriter writer(out, columns, form);
    writer.begin();
    const int64_t count = columns.empty() ? 0 : rows.rowCount();
    for (int64_t row = 0; row < count; ++row) {
        writer.row(encoders, row);
        if (row % kRowsPerCheck == kRowsPerCheck - 1) context.checkCancelled();
    }
    writer.end();
}

}  // namespace pelorus::postgres

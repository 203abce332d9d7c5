#include "server/postgres/copy_out.h"

#include <algorithm>

#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "server/postgres/answer_writer.h"
#include "server/postgres/wire/wire_messages.h"

namespace pelorus::postgres {
namespace {

constexpr std::string_view kSignature("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", 19);
constexpr int64_t kRowsPerCheck = 1024;

// Writes the rows of one copy.
class CopyWriter {
public:
    CopyWriter(AnswerWriter& out, const std::vector<OutputColumn>& columns, const CopyForm& form)
        : out_(out), columns_(columns), form_(form) {}

    void begin() {
        MessageWriter& messages = out_.messages();
        const bool isBinary = form_.kind == CopyForm::Kind::Binary;
        out_.writeCopyBegin('H', isBinary, columns_.size());
        if (!isBinary && form_.hasHeader) {
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
                writeSignatureOnce();
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
            writeSignatureOnce();
            out_.messages().int16(-1);
            out_.messages().end();
        }
        out_.writeBare('c');
    }

private:
    // Clients count on a message a row: the signature is in that of the first one, or of the end where there is no row.
    void writeSignatureOnce() {
        if (hasSignature_) return;
        out_.messages().raw(kSignature);
        hasSignature_ = true;
    }

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
    bool hasSignature_ = false;
};

}  // namespace

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
             const FieldStyle& style, Context& context) {
    std::vector<std::unique_ptr<FieldEncoder>> encoders;
    for (size_t i = 0; i < columns.size(); ++i) {
        const bool isBinary = form.kind == CopyForm::Kind::Binary;
        const Value cells = shownCells(columns[i], isBinary, rows.column(static_cast<int>(i)), style, context);
        encoders.push_back(makeFieldEncoder(columns[i], isBinary, cells, style));
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

#include "server/postgres/answer_writer.h"

#include "net/connection.h"
#include "postgres/catalog/object_names.h"
#include "runtime/function/context.h"
#include "server/postgres/portals.h"

namespace pelorus::postgres {
namespace {

constexpr size_t kLongBytes = 64 << 10;
constexpr int64_t kRowsPerCheck = 1024;

}  // namespace

Value shownCells(const OutputColumn& column, bool isBinary, const Value& cells, const FieldStyle& style,
                 Context& context) {
    return !isBinary && isShownAsName(column.type) ? namesOfNumbers(cells, column.type, style.searchPath, context)
                                                   : cells;
}

void AnswerWriter::flush() {
    if (messages_.isEmpty()) return;
    try {
        connection_.write(messages_.buffer());
    } catch (const SystemError& error) {
        throw ClientLeft(error.what());
    }
    messages_.clear();
}

void AnswerWriter::flushIfLong() {
    if (messages_.size() >= kLongBytes) flush();
}

void AnswerWriter::writeBare(char letter) {
    messages_.begin(letter);
    messages_.end();
}

void AnswerWriter::writeComplete(std::string_view tag) {
    messages_.begin('C');
    messages_.string(tag);
    messages_.end();
}

void AnswerWriter::writeReady(char status) {
    messages_.begin('Z');
    messages_.byte(static_cast<uint8_t>(status));
    messages_.end();
    flush();
}

void AnswerWriter::writeParameters(const std::vector<Oid>& types) {
    messages_.begin('t');
    messages_.int16(static_cast<int16_t>(types.size()));
    for (const Oid type : types) messages_.int32(static_cast<int32_t>(type));
    messages_.end();
}

void AnswerWriter::writeColumns(const std::vector<OutputColumn>& columns, const Portal* portal) {
    messages_.begin('T');
    messages_.int16(static_cast<int16_t>(columns.size()));
    for (size_t i = 0; i < columns.size(); ++i) {
        const OutputColumn& column = columns[i];
        const OidFacts* facts = oidFacts(column.type);
        messages_.string(column.label);
        messages_.int32(static_cast<int32_t>(column.tableOid));
        messages_.int16(column.tableColumn);
        messages_.int32(static_cast<int32_t>(column.type));
        messages_.int16(facts ? facts->length : int16_t{-1});
        messages_.int32(std::max(column.modifier, -1));
        messages_.int16(portal && isBinaryColumn(*portal, i) ? 1 : 0);
    }
    messages_.end();
}

void AnswerWriter::writeCopyBegin(char letter, bool isBinary, size_t columns) {
    messages_.begin(letter);
    messages_.byte(isBinary ? 1 : 0);
    messages_.int16(static_cast<int16_t>(columns));
    for (size_t i = 0; i < columns; ++i) messages_.int16(isBinary ? 1 : 0);
    messages_.end();
}

void AnswerWriter::writeRows(const Portal& portal, int64_t begin, int64_t count, const FieldStyle& style,
                             Context& context) {
    const std::vector<OutputColumn>& columns = portal.prepared->columns;
    std::vector<std::unique_ptr<FieldEncoder>> encoders;
    for (size_t i = 0; i < columns.size(); ++i) {
        const bool isBinary = isBinaryColumn(portal, i);
        const Value cells = shownCells(columns[i], isBinary, portal.rows->column(static_cast<int>(i)), style, context);
        encoders.push_back(makeFieldEncoder(columns[i], isBinary, cells, style));
    }
    for (int64_t row = begin; row < begin + count; ++row) {
        messages_.begin('D');
        messages_.int16(static_cast<int16_t>(columns.size()));
        try {
            for (const auto& encoder : encoders) encoder->append(messages_.buffer(), row);
        } catch (...) {
            messages_.abandon();
            throw;
        }
        messages_.end();
        flushIfLong();
        if ((row - begin) % kRowsPerCheck == kRowsPerCheck - 1) context.checkCancelled();
    }
}

}  // namespace pelorus::postgres

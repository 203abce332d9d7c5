#include "server/postgres/message_handler.h"

#include <algorithm>
#include <utility>

#include "postgres/catalog/object_numbers.h"
#include "postgres/change/column_defaults.h"
#include "postgres/sql_error.h"
#include "postgres/steps/standard_names.h"
#include "server/postgres/copy/copy_in.h"
#include "server/postgres/copy_out.h"
#include "server/postgres/wire/error_response.h"
#include "server/postgres/wire/frame_reader.h"
#include "server/postgres/wire/parameter_values.h"

namespace pelorus::postgres {
namespace {

// Reads formats of values: a number of them, and each 0 or 1.
std::vector<int16_t> readFormats(MessageReader& reader) {
    std::vector<int16_t> formats(static_cast<uint16_t>(reader.int16()));
    for (int16_t& format : formats) {
        format = reader.int16();
        if (format != 0 && format != 1)
            throw SqlError(sql_state::kInvalidParameter, "unsupported format code: " + std::to_string(format));
    }
    return formats;
}

// Returns whether a parameter of regclass and the like is a name, not a number.
bool isNameOfObject(Oid type, std::string_view text) {
    const bool hasNames =
        type == oid::kRegclass || type == oid::kRegtype || type == oid::kRegnamespace || type == oid::kRegrole;
    return hasNames && !text.empty() && text.find_first_not_of("0123456789") != std::string_view::npos;
}

}  // namespace

bool MessageHandler::handle(char letter, std::string_view body) {
    if (letter == 'X') return false;
    if (skipsToSync_ && letter != 'S') return true;
    try {
        switch (letter) {
            case 'Q':
                query(body);
                return true;
            case 'P':
                parse(MessageReader(body));
                return true;
            case 'B':
                bind(MessageReader(body));
                return true;
            case 'D':
                describe(MessageReader(body));
                return true;
            case 'E':
                execute(MessageReader(body));
                return true;
            case 'C':
                close(MessageReader(body));
                return true;
            case 'S':
                sync();
                return true;
            case 'H':
                answer_.flush();
                return true;
            case 'd':
            case 'c':
            case 'f':
                return true;  // the rest of a copy that has ended
            case 'F':
                throw SqlError(sql_state::kFeatureNotSupported, "function calls by message are not supported", -1,
                               "Send a query.");
            default:
                break;
        }
    } catch (const ClientLeft&) {
        throw;
    } catch (const std::exception& error) {
        fail(error);
        skipsToSync_ = true;
        // A client that sends many messages before its Sync may wait for this answer: a Flush behind it is skipped.
        answer_.flush();
        if (letter != 'F') return true;
        sync();
        return true;
    }
    refuseMessage("invalid frontend message type " + std::to_string(static_cast<unsigned char>(letter)));
}

// Writes the error, and ends the block that it happened in.
void MessageHandler::fail(const std::exception& error) {
    const RequestScope::Failure failure = scope_.failed(error);
    if (failure.message.empty()) {
        writeError(answer_.messages(), error, Severity::Error, text_, failure.state);
    } else {
        writeReport(answer_.messages(),
                    {.severity = Severity::Error, .state = failure.state, .message = failure.message});
    }
    session_.noteFailure();
    scope_.close();
}

void MessageHandler::sendRemarks(const StatementResult& result) {
    for (const std::string& printed : scope_.takePrinted())
        writeReport(answer_.messages(), {.severity = Severity::Notice, .state = "00000", .message = printed});
    for (const Remark& remark : result.remarks) {
        writeReport(answer_.messages(), {.severity = remark.isWarning ? Severity::Warning : Severity::Notice,
                                         .state = remark.state,
                                         .message = remark.message});
    }
}

void MessageHandler::sendReports() {
    for (const auto& [name, value] : session_.settings.takeReports()) {
        if (name == "application_name") scope_.noteApplication(value);
        answer_.messages().begin('S');
        answer_.messages().string(name);
        answer_.messages().string(value);
        answer_.messages().end();
    }
}

void MessageHandler::query(std::string_view body) {
    MessageReader reader(body);
    const std::string text(reader.string());
    try {
        reader.requireEnd();
        runText(text);
        executor_.commitImplicit();
        session_.endImplicit(true);
    } catch (const ClientLeft&) {
        throw;
    } catch (const std::exception& error) {
        fail(error);
    }
    sync();
}

void MessageHandler::runText(const std::string& text) {
    text_ = text;
    session_.portals.closeStatement("");
    session_.portals.closePortal("");
    requireText(text);
    if (auto shared = executor_.prepareShared(text)) return runWhole(std::move(*shared), true);
    const auto statements = parseStatements(text);
    if (statements.empty()) answer_.writeBare('I');
    for (const auto& statement : statements) {
        StatementExecutor::Bound bound{executor_.prepare(statement, text, {}), {}};
        const bool isBound = statement->kind == StatementKind::Query || statement->kind == StatementKind::Change;
        if (!bound.prepared->parameterTypes.empty() && isBound)
            throw SqlError(sql_state::kUndefinedParameter, "there is no parameter $1");
        runWhole(std::move(bound), statements.size() == 1);
    }
}

void MessageHandler::runWhole(StatementExecutor::Bound bound, bool isAlone) {
    Portal portal;
    portal.prepared = std::move(bound.prepared);
    portal.parameters = std::move(bound.parameters);
    const Statement& own = *portal.prepared->statement;
    if (own.kind == StatementKind::Fetch && !own.isMove) portal.isBinary = session_.portals.portal(own.name)->isBinary;
    if (own.kind == StatementKind::Call) return runCall(portal);
    if (portal.prepared->hasRows) answer_.writeColumns(portal.prepared->columns, &portal);
    runPortal(portal, 0, isAlone);
}

// The columns of a script's result are known once it has run.
void MessageHandler::runCall(Portal& portal) {
    StatementResult result = executor_.run(*portal.prepared, {}, true);
    sendRemarks(result);
    if (result.rows) {
        auto called = std::make_shared<PreparedStatement>(*portal.prepared);
        for (const ColumnSchema& column : result.rows->columns()) {
            const ShownType type = shownType(column.type, column.scale);
            called->columns.push_back({.label = column.name, .type = type.type, .modifier = type.modifier});
        }
        portal.prepared = std::move(called);
        portal.rows = std::move(result.rows);
        scope_.holdAnswer(session_.portals.heldBytes());
        answer_.writeColumns(portal.prepared->columns, &portal);
        answer_.writeRows(portal, 0, portal.rows->rowCount(), session_.style(),
                          executor_.context(portal.prepared->text));
    }
    answer_.writeComplete(result.tag);
}

void MessageHandler::parse(MessageReader reader) {
    const std::string name(reader.string());
    std::string text(reader.string());
    std::vector<Oid> types(static_cast<uint16_t>(reader.int16()));
    for (Oid& type : types) type = static_cast<Oid>(reader.int32());
    reader.requireEnd();
    text_ = text;
    requireText(text);
    session_.portals.addStatement(name, executor_.prepareText(std::move(text), types));
    answer_.writeBare('1');
}

void MessageHandler::bind(MessageReader reader) {
    const std::string portalName(reader.string());
    const std::string statementName(reader.string());
    auto portal = std::make_shared<Portal>();
    portal->prepared = session_.portals.statement(statementName);
    const PreparedStatement& prepared = *portal->prepared;
    text_ = prepared.text;
    if (session_.transaction.hasFailed() && prepared.statement && prepared.hasRows) {
        throw SqlError("25P02", "current transaction is aborted, commands ignored until end of transaction block");
    }
    portal->parameters = readParameters(reader, prepared);
    portal->formats = readFormats(reader);
    reader.requireEnd();
    const size_t formats = portal->formats.size();
    if (prepared.hasRows && formats > 1 && formats != prepared.columns.size()) {
        refuseMessage("bind message has " + std::to_string(formats) + " result formats but query has " +
                      std::to_string(prepared.columns.size()) + " columns");
    }
    session_.portals.addPortal(portalName, std::move(portal));
    answer_.writeBare('2');
}

std::vector<Value> MessageHandler::readParameters(MessageReader& reader, const PreparedStatement& prepared) {
    const std::vector<int16_t> formats = readFormats(reader);
    const size_t count = static_cast<uint16_t>(reader.int16());
    const std::vector<Oid>& types = prepared.parameterTypes;
    if (formats.size() > 1 && formats.size() != count) {
        refuseMessage("bind message has " + std::to_string(formats.size()) + " parameter formats but " +
                      std::to_string(count) + " parameters");
    }
    if (count != types.size()) {
        refuseMessage("bind message supplies " + std::to_string(count) +
                      " parameters, but the prepared statement requires " + std::to_string(types.size()));
    }
    const FieldStyle style = session_.style();
    std::vector<Value> parameters;
    for (size_t i = 0; i < count; ++i) {
        const int32_t length = reader.int32();
        if (length < -1) refuseMessage("a parameter has a length below -1");
        if (length < 0) {
            parameters.emplace_back();
            continue;
        }
        const std::string_view bytes = reader.bytes(static_cast<size_t>(length));
        const bool isBinary = !formats.empty() && formats[formats.size() == 1 ? 0 : i] != 0;
        if (!isBinary && isNameOfObject(types[i], bytes)) {
            const std::string name(bytes);
            parameters.push_back(
                Value::ofLong(numberOfName(types[i], name, session_.facts(), executor_.context(prepared.text))));
            continue;
        }
        parameters.push_back(parseParameter(types[i], bytes, isBinary, {.zone = style.zone.get()}));
    }
    return parameters;
}

void MessageHandler::describe(MessageReader reader) {
    const uint8_t kind = reader.byte();
    const std::string_view name = reader.string();
    reader.requireEnd();
    if (kind == 'S') {
        const auto prepared = session_.portals.statement(name);
        answer_.writeParameters(prepared->parameterTypes);
        if (prepared->hasRows) {
            answer_.writeColumns(prepared->columns, nullptr);
        } else {
            answer_.writeBare('n');
        }
        return;
    }
    if (kind != 'P') refuseMessage("invalid DESCRIBE message subtype " + std::to_string(kind));
    const auto portal = session_.portals.portal(name);
    if (portal->prepared->hasRows) {
        answer_.writeColumns(portal->prepared->columns, portal.get());
    } else {
        answer_.writeBare('n');
    }
}

void MessageHandler::execute(MessageReader reader) {
    const std::string name(reader.string());
    const int32_t most = reader.int32();
    reader.requireEnd();
    const auto portal = session_.portals.portal(name);  // a rollback forgets it while it runs
    text_ = portal->prepared->text;
    if (!portal->prepared->statement) return answer_.writeBare('I');
    runPortal(*portal, std::max(most, 0), client_.nextLetter() == 'S');
}

void MessageHandler::runPortal(Portal& portal, int64_t most, bool isAlone) {
    const PreparedStatement& prepared = *portal.prepared;
    if (prepared.statement->kind == StatementKind::Copy) return runCopy(prepared, isAlone);
    std::string tag = prepared.change ? "INSERT 0 " + std::to_string(portal.rows ? portal.rows->rowCount() : 0)
                                      : std::string("SELECT");
    if (!portal.hasRun) {
        StatementResult result = executor_.run(prepared, portal.parameters, isAlone);
        portal.hasRun = true;
        sendRemarks(result);
        if (!prepared.hasRows) return answer_.writeComplete(result.tag);
        portal.rows = std::move(result.rows);
        tag = result.tag;
    } else if (!prepared.hasRows) {
        throw SqlError("55000", "portal cannot be run");
    }
    if (prepared.statement->kind == StatementKind::Fetch) tag = "FETCH";
    const int64_t total = portal.rows->rowCount();
    const int64_t begin = std::min(portal.position, total);
    const int64_t count = most > 0 ? std::min(most, total - begin) : total - begin;
    // What stands in answers is bounded while it is sent, and as long as a portal keeps it.
    scope_.holdAnswer(session_.portals.heldBytes());
    answer_.writeRows(portal, begin, count, session_.style(), executor_.context(prepared.text));
    portal.position = begin + count;
    if (most > 0 && portal.position < total) return answer_.writeBare('s');
    const bool isCounted = tag == "SELECT" || tag == "FETCH";
    answer_.writeComplete(isCounted ? tag + ' ' + std::to_string(count) : tag);
}

void MessageHandler::runCopy(const PreparedStatement& prepared, bool isAlone) {
    const Statement& statement = *prepared.statement;
    if (!statement.copy.file.empty() || statement.copy.isProgram) {
        throw SqlError(sql_state::kFeatureNotSupported, "COPY from and to files is not supported", -1,
                       "COPY FROM STDIN and TO STDOUT are.");
    }
    if (statement.copy.isFrom) return runCopyIn(prepared, isAlone);
    const CopyForm form = copyFormOf(statement);
    const auto source = executor_.prepareCopy(statement, prepared.text);
    StatementResult result = executor_.run(*source, {}, isAlone);
    sendRemarks(result);
    copyOut(answer_, *result.rows, source->columns, form, session_.style(), executor_.context(prepared.text));
    answer_.writeComplete("COPY " + std::to_string(result.rows->rowCount()));
}

void MessageHandler::runCopyIn(const PreparedStatement& prepared, bool isAlone) {
    const Statement& statement = *prepared.statement;
    executor_.changes().requireWritable("COPY FROM");
    const auto target =
        findTarget(statement.copy.schema, statement.copy.table, session_.facts(), executor_.context(prepared.text), -1);
    const FieldStyle style = session_.style();
    CopyReader reader(target, statement.copy.columns, copyFormOf(statement), {.zone = style.zone.get()});
    client_.beginCopy();
    answer_.writeCopyBegin('G', reader.form().kind == CopyForm::Kind::Binary, reader.columnCount());
    answer_.flush();
    scope_.close();  // a request does not last while the client is waited for
    receiveCopy(reader);
    Context& context = executor_.context(prepared.text);
    const auto defaults = defaultsBeside(target, reader.places(), session_.facts(), context);
    StepScope names;
    setStandardNames(names);
    const Ref<MemoryTable> rows = reader.finish(
        [&](AssignedColumn& column, int64_t missing) { defaults->fill(column, missing, names, context); });
    const int64_t count = rows->rowCount();
    executor_.changes().insert(target, rows, isAlone, context);
    answer_.writeComplete("COPY " + std::to_string(count));
}

// Reads the rows up to their end. Throws SqlError 57014 when the client gives up.
void MessageHandler::receiveCopy(CopyReader& reader) {
    for (;;) {
        const Frame& frame = client_.receive();
        switch (frame.letter) {
            case 'd':
                reader.feed(frame.body);
                break;
            case 'c':
                return;
            case 'f':
                throw SqlError(sql_state::kQueryCanceled,
                               "COPY from stdin failed: " + std::string(MessageReader(frame.body).string()));
            case 'H':
            case 'S':
                break;  // from clients that send it after each Execute
            default:
                refuseMessage("unexpected message type " + std::to_string(static_cast<unsigned char>(frame.letter)) +
                              " during COPY from stdin");
        }
    }
}

void MessageHandler::close(MessageReader reader) {
    const uint8_t kind = reader.byte();
    const std::string_view name = reader.string();
    reader.requireEnd();
    if (kind == 'S') {
        session_.portals.closeStatement(name);
    } else if (kind == 'P') {
        session_.portals.closePortal(name);
    } else {
        refuseMessage("invalid CLOSE message subtype " + std::to_string(kind));
    }
    answer_.writeBare('3');
}

void MessageHandler::sync() {
    skipsToSync_ = false;
    try {
        executor_.commitImplicit();
    } catch (const std::exception& error) {
        fail(error);
    }
    session_.endImplicit(true);
    if (!session_.transaction.isOpen() && session_.portals.portalCount() > 0) session_.portals.closePortals(false);
    scope_.close();
    scope_.holdAnswer(session_.portals.heldBytes());
    sendReports();
    answer_.writeReady(session_.transaction.letter());
}

}  // namespace pelorus::postgres

// create, alter and drop, as calls of the functions that do the same. Section 18 of the language.
#include <algorithm>
#include <array>
#include <string_view>

#include "common/foreign_words.h"
#include "common/nearest_name.h"
#include "interpreter/parser/named_constants.h"
#include "interpreter/parser/parser_core.h"

namespace pelorus {

bool Parser::startsDefinition() const {
    const Token& token = peek();
    const Token& next = peek(1);
    if (token.isKeyword("create")) {
        return next.isKeyword("database") || next.isKeyword("table") ||
               (next.isKeyword("local") && peek(2).isKeyword("temporary"));
    }
    if (token.isKeyword("alter")) return next.isKeyword("table");
    return token.isKeyword("drop") && (next.isKeyword("database") || next.isKeyword("table"));
}

// "dfs://x"."t", catalog.schema.t, t
Parser::TableReference Parser::tableReference() {
    TableReference reference;
    SourcePosition position = peek().position;
    auto part = [&]() -> std::string {
        const Token& token = peek();
        if (token.kind == TokenKind::String || token.kind == TokenKind::Backtick) return take().text;
        if (token.kind != TokenKind::Identifier) failUnexpected("the name of a table");
        return std::string(take().source);
    };
    std::vector<std::string> parts = {part()};
    while (takeIf(".")) parts.push_back(part());
    reference.table = stringConstant(parts.back(), position);
    if (parts.size() == 1) {
        reference.variable = parts[0];
        return reference;
    }
    std::string path = parts[0];
    for (size_t i = 1; i + 1 < parts.size(); ++i) path += "." + parts[i];
    reference.database = stringConstant(path, position);
    return reference;
}

// Returns whether an option of create comes next without a comma, as on a new line.
bool Parser::startsOption() const {
    constexpr std::array<std::string_view, 13> kOptions = {"engine",
                                                           "atomic",
                                                           "chunkGranularity",
                                                           "sortColumns",
                                                           "keepDuplicates",
                                                           "sortKeyMappingFunction",
                                                           "indexes",
                                                           "softDelete",
                                                           "primaryKey",
                                                           "comment",
                                                           "encryptMode",
                                                           "latestKeyCache",
                                                           "compressHashSortKey"};
    if (peek().kind != TokenKind::Identifier || !peek(1).is("=")) return false;
    return sameLine() || std::find(kOptions.begin(), kOptions.end(), peek().source) != kOptions.end();
}

// , name = value …: the rest of a create statement
void Parser::keywordTail(std::vector<Argument>& arguments) {
    while (takeIf(",") || startsOption()) {
        Argument argument;
        argument.keyword = expectName("the name of an option");
        expect("=", "and the value of the option");
        argument.value = expression();
        arguments.push_back(std::move(argument));
    }
}

NodeRef Parser::createStatement() {
    SourcePosition position = take().position;
    if (takeKeyword("database")) return createDatabase(position);
    if (takeKeyword("local")) expectKeyword("temporary", "after 'local'");
    expectKeyword("table", "or 'database' after 'create'");
    return createTable(position);
}

// create database "dfs://x" partitioned by VALUE(…), HASH([SYMBOL, 10]), engine='TSDB'
NodeRef Parser::createDatabase(SourcePosition position) {
    std::string path = peek().kind == TokenKind::String ? take().text : std::string();
    if (path.empty()) {
        path = expectName("the path of a database");
        while (takeIf(".")) path += "." + expectName("a schema");
    }
    expectKeyword("partitioned", "after the path");
    expectKeyword("by", "after 'partitioned'");
    struct Level {
        std::string kind;
        NodeRef scheme;
    };
    std::vector<Level> levels;
    do {
        if (peek().kind == TokenKind::Identifier && peek(1).is("=")) {
            --at_;  // an option, not a level: give the comma back
            break;
        }
        Level level;
        level.kind = expectName("VALUE, RANGE, HASH or LIST");
        expect("(", "and the scheme");
        ModeScope scope(*this, insideBrackets());
        NodeList scheme;
        do {
            scheme.push_back(expression());
        } while (takeIf(","));
        expect(")", "after the scheme");
        SourcePosition place = scheme.front()->position;
        level.scheme = scheme.size() == 1 ? scheme[0] : NodeRef(makeRef<ListLiteral>(std::move(scheme), place));
        levels.push_back(std::move(level));
    } while (takeIf(","));

    auto kindConstant = [&](const std::string& word) -> NodeRef {
        Value value;
        if (!namedConstant(word, value))
            throw syntaxError(position, "'" + word + "' is no kind of partition.", "Use VALUE, RANGE, HASH or LIST.");
        Ref<Constant> constant = makeRef<Constant>(std::move(value), position);
        constant->spelling = word;
        return constant;
    };
    std::vector<Argument> arguments = {{"", stringConstant(path, position)}};
    if (levels.size() == 1) {
        arguments.push_back({"", kindConstant(levels[0].kind)});
        arguments.push_back({"", std::move(levels[0].scheme)});
    } else {
        NodeList parts;
        for (Level& level : levels) {
            parts.push_back(callOf("database",
                                   {stringConstant("", position), kindConstant(level.kind), std::move(level.scheme)},
                                   position));
        }
        arguments.push_back({"", kindConstant("COMPO")});
        arguments.push_back({"", makeRef<TupleLiteral>(std::move(parts), position)});
    }
    keywordTail(arguments);
    NodeRef call =
        makeRef<Call>(makeRef<Name>("database", position), std::move(arguments), Call::Style::Function, position);
    return makeRef<ExpressionStatement>(std::move(call), position);
}

static std::vector<std::string_view> typeNames() {
    constexpr int kPlainTypes = 64;  // array vectors follow
    std::vector<std::string_view> names;
    for (int id = 1; id < kPlainTypes; ++id) {
        const std::string_view name = typeName(static_cast<Type>(id));
        if (!name.empty()) names.push_back(name);
    }
    return names;
}

NodeRef Parser::typeExpression() {
    const Token token = peek();
    if (token.kind != TokenKind::Identifier) failUnexpected("the type of the column");
    std::string word(token.source);
    for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    Value value;
    if (!namedConstant(word, value)) {
        std::string hint = foreignTypeAdvice(token.source);
        if (hint.empty()) hint = didYouMean(nearestNames(word, typeNames()));
        fail(token, "'" + std::string(token.source) + "' is no type.", std::move(hint));
    }
    take();
    if (word.substr(0, 7) == "DECIMAL" && takeIf("(")) {
        NodeRef scale = expression();
        expect(")", "after the scale");
        return callOf(word, {std::move(scale)}, token.position);
    }
    Ref<Constant> type = makeRef<Constant>(std::move(value), token.position);
    type->spelling = word;
    if (peek().is("[") && peek(1).is("]")) return index(type);
    return type;
}

NodeRef Parser::createTable(SourcePosition position) {
    TableReference target = tableReference();
    expect("(", "and the columns");
    std::vector<std::string> names;
    NodeList types;
    std::vector<std::pair<NodeRef, NodeRef>> compression, comments, indexes;
    {
        ModeScope scope(*this, insideBrackets());
        do {
            std::string column = columnName();
            types.push_back(typeExpression());
            if (takeIf("[")) {
                do {
                    std::string option = expectName("an option of the column");
                    expect("=", "and the value of the option");
                    SourcePosition place = peek().position;
                    NodeRef value = expression();
                    if (option == "compress") compression.emplace_back(stringConstant(column, place), value);
                    if (option == "indexes") indexes.emplace_back(stringConstant(column, place), value);
                    if (option == "comment") comments.emplace_back(stringConstant(column, place), value);
                } while (takeIf(","));
                expect("]", "after the options of the column");
            }
            names.push_back(std::move(column));
            // A comma may follow the last one, and a new line may stand for one.
        } while (takeIf(",") ? !peek().is(")") : peek().kind == TokenKind::Identifier && peek().newlineBefore);
        expect(")", "after the columns");
    }
    NodeList nameNodes;
    for (const std::string& name : names) nameNodes.push_back(stringConstant(name, position));
    NodeRef size =
        makeRef<Binary>(Operator::Pair, integerConstant(0, position), integerConstant(0, position), position);
    NodeRef schema = callOf("table",
                            {std::move(size), makeRef<ListLiteral>(std::move(nameNodes), position),
                             makeRef<ListLiteral>(std::move(types), position)},
                            position);

    NodeList partitionColumns;
    if (takeKeyword("partitioned")) {
        expectKeyword("by", "after 'partitioned'");
        do {
            if (peek().kind == TokenKind::Identifier && peek(1).is("=")) {
                --at_;
                break;
            }
            size_t first = at_;
            SourcePosition place = peek().position;
            NodeRef column = postfix();
            if (column->kind != NodeKind::Name && column->kind != NodeKind::Call) {
                throw syntaxError(place, "Tables are partitioned by columns or functions of a column.");
            }
            partitionColumns.push_back(stringConstant(sourceSince(first), place));
        } while (takeIf(","));
    }
    if (!target.database) {
        if (takeKeyword("on")) {
            expectKeyword("commit", "after 'on'");
            expectKeyword("preserve", "after 'commit'");
            expectKeyword("rows", "after 'preserve'");
        }
        NodeList targets = {makeRef<Name>(target.variable, position)};
        defineVariable(target.variable);
        return makeRef<Assign>(std::move(targets), std::move(schema), position);
    }
    std::vector<Argument> arguments;
    arguments.push_back({"dbHandle", callOf("database", {target.database}, position)});
    arguments.push_back({"table", std::move(schema)});
    arguments.push_back({"tableName", target.table});
    bool partitioned = !partitionColumns.empty();
    if (partitioned)
        arguments.push_back({"partitionColumns", makeRef<ListLiteral>(std::move(partitionColumns), position)});
    if (!compression.empty()) {
        arguments.push_back({"compressMethods", makeRef<DictionaryLiteral>(std::move(compression), position)});
    }
    if (!indexes.empty()) arguments.push_back({"indexes", makeRef<DictionaryLiteral>(std::move(indexes), position)});
    keywordTail(arguments);
    const char* function = partitioned ? "createPartitionedTable" : "createDimensionTable";
    NodeRef create =
        makeRef<Call>(makeRef<Name>(function, position), std::move(arguments), Call::Style::Function, position);
    NodeRef statement = makeRef<ExpressionStatement>(std::move(create), position);
    if (comments.empty()) return statement;
    NodeRef comment = callOf("setColumnComment",
                             {callOf("loadTable", {target.database, target.table}, position),
                              makeRef<DictionaryLiteral>(std::move(comments), position)},
                             position);
    NodeList both = {std::move(statement), makeRef<ExpressionStatement>(std::move(comment), position)};
    return makeRef<Block>(std::move(both), position);
}

// alter table t add|drop|rename [column] …
NodeRef Parser::alterStatement() {
    SourcePosition position = take().position;
    take();
    TableReference target = tableReference();
    NodeRef table = target.database ? callOf("loadTable", {target.database, target.table}, position)
                                    : NodeRef(makeRef<Name>(target.variable, position));
    NodeRef call;
    if (takeKeyword("add")) {
        takeKeyword("column");
        NodeList names, types;
        do {
            names.push_back(stringConstant(columnName(), position));
            types.push_back(typeExpression());
        } while (takeIf(","));
        call = callOf("addColumn",
                      {std::move(table), makeRef<ListLiteral>(std::move(names), position),
                       makeRef<ListLiteral>(std::move(types), position)},
                      position);
    } else if (takeKeyword("drop")) {
        takeKeyword("column");
        NodeList names;
        do {
            names.push_back(stringConstant(columnName(), position));
        } while (takeIf(","));
        call = callOf("dropColumns!", {std::move(table), makeRef<ListLiteral>(std::move(names), position)}, position);
    } else {
        expectKeyword("rename", "or 'add' or 'drop'");
        takeKeyword("column");
        NodeRef from = stringConstant(columnName(), position);
        if (!takeKeyword("to")) takeKeyword("as");
        call = callOf("rename!", {std::move(table), std::move(from), stringConstant(columnName(), position)}, position);
    }
    return makeRef<ExpressionStatement>(std::move(call), position);
}

NodeRef Parser::dropStatement() {
    SourcePosition position = take().position;
    bool database = take().isKeyword("database");
    bool guarded = takeKeyword("if");
    if (guarded) expectKeyword("exists", "after 'if'");
    NodeRef call, condition;
    if (database) {
        NodeRef path;
        if (peek().kind == TokenKind::String) {
            path = stringConstant(take().text, position);
        } else {
            std::string name = expectName("the path of a database");
            while (takeIf(".")) name += "." + expectName("a schema");
            path = stringConstant(name, position);
        }
        call = callOf("dropDatabase", {path}, position);
        condition = callOf("existsDatabase", {path}, position);
    } else {
        TableReference target = tableReference();
        if (target.database) {
            call = callOf("dropTable", {callOf("database", {target.database}, position), target.table}, position);
            condition = callOf("existsTable", {target.database, target.table}, position);
        } else {
            call = callOf("undef", {target.table}, position);
            condition = callOf("defined", {target.table}, position);
        }
    }
    NodeRef statement = makeRef<ExpressionStatement>(std::move(call), position);
    if (!guarded) return statement;
    return makeRef<If>(std::move(condition), std::move(statement), NodeRef(), position);
}

}  // namespace pelorus

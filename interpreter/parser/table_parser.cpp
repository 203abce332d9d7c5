// Data sources of queries: tables, joins of them, and aliases. Section 17 of the language.
#include "interpreter/parser/parser_core.h"

namespace pelorus {

std::string Parser::tableAlias() {
    if (takeKeyword("as")) {
        if (peek().kind == TokenKind::String || peek().kind == TokenKind::Backtick) return take().text;
        return expectName("a name for the table");
    }
    const Token& token = peek();
    if (token.isKeyword("natural") && (peek(1).isKeyword("join") || peek(2).isKeyword("join")))
        fail(token, "natural join is not known.", "Name the columns: join t using (a, b), or join t on x.a = t.a.");
    if (token.isKeyword("using") && peek(1).is("(")) return "";
    bool plain = token.kind == TokenKind::Identifier && sameLine() && !isClauseWord(token) &&
                 !isStatementKeyword(token) && !token.isKeyword("and") && !token.isKeyword("or") &&
                 !token.isWord("go") && !startsTail();
    return plain ? std::string(take().source) : std::string();
}

// A table is a name, a call, a member chain or a query in brackets: no operators.
NodeRef Parser::tableExpression() {
    DepthGuard guard(*this);
    NodeRef node;
    if (peek().kind == TokenKind::String) {
        // "dfs://path"."table"
        SourcePosition position = peek().position;
        NodeRef path = stringConstant(take().text, position);
        if (!peek().is(".")) return path;
        take();
        const Token& name = peek();
        if (name.kind != TokenKind::String && name.kind != TokenKind::Identifier && name.kind != TokenKind::Backtick) {
            failUnexpected("the name of a table");
        }
        NodeRef table =
            stringConstant(name.kind == TokenKind::Identifier ? std::string(name.source) : name.text, name.position);
        take();
        return callOf("loadTable", {std::move(path), std::move(table)}, position);
    }
    node = primary();
    for (;;) {
        SourcePosition position = node->position;
        if (peek().is("(") && !peek().spaceBefore && node->kind != NodeKind::Query) {
            take();
            std::vector<Argument> list = arguments(")", node);
            node = makeRef<Call>(std::move(node), std::move(list), Call::Style::Function, position);
        } else if (peek().is("{") && !peek().spaceBefore) {
            take();
            std::vector<Argument> fixed = arguments("}", node);
            node = makeRef<Partial>(std::move(node), std::move(fixed), position);
        } else if (peek().is("[") && !peek().spaceBefore) {
            node = index(std::move(node));
        } else if (peek().is(".") && (!peek().spaceBefore || peek().newlineBefore)) {
            node = memberAccess(std::move(node));
        } else {
            return node;
        }
    }
}

// In f(select a from t, b) the comma separates arguments, not tables.
bool Parser::isCallArgument() const {
    if (at_ == 0) return false;
    if (tokens_[at_ - 1].is(",")) return true;
    return tokens_[at_ - 1].is("(") && !tokens_[at_ - 1].spaceBefore && at_ >= 2 &&
           tokens_[at_ - 2].kind == TokenKind::Identifier;
}

void Parser::fromClause(Query& query, bool commaJoins) {
    if (!takeKeyword("from")) return;
    query.table = tableExpression();
    query.tableAlias = tableAlias();
    while (joinClause(query, commaJoins)) {
    }
}

// join b using (x, y): on x = b.x and y = b.y.
NodeRef Parser::usingCondition(const JoinClause& join) {
    const Token word = take();
    const bool isNamed = join.table->kind == NodeKind::Name;
    const std::string right = !join.alias.empty() ? join.alias
                              : isNamed           ? static_cast<const Name&>(*join.table).name
                                                  : "";
    if (right.empty()) fail(word, "A table without a name cannot be joined by using.", "Name it: (select …) as t.");
    if (join.kind == JoinKind::Right || join.kind == JoinKind::Full) {
        fail(word, "using goes with inner and left joins, whose rows all have the left table's key.",
             "Write on x.a = y.a, and coalesce(x.a, y.a) for the key.");
    }
    take();
    NodeRef whole;
    do {
        const SourcePosition position = peek().position;
        const std::string column = columnName();
        NodeRef own = makeRef<Member>(makeRef<Name>(right, position), column, NodeRef(), position);
        NodeRef equal = makeRef<Binary>(Operator::Eq, makeRef<Name>(column, position), std::move(own), position);
        whole = whole ? NodeRef(makeRef<Binary>(Operator::And, std::move(whole), std::move(equal), position)) : equal;
    } while (takeComma());
    expect(")", "after the columns");
    return whole;
}

bool Parser::joinClause(Query& query, bool commaJoins) {
    JoinClause join{JoinKind::Inner, NodeRef(), "", NodeRef()};
    if (commaJoins && takeComma()) {
        join.kind = JoinKind::Cross;
    } else {
        bool outer = peek(1).isKeyword("outer");
        size_t word = outer ? 2 : 1;
        if (peek().isKeyword("join")) {
            take();
        } else if (peek().isKeyword("left") &&
                   (peek(1).isKeyword("semijoin") || (peek(1).isKeyword("semi") && peek(2).isKeyword("join")))) {
            join.kind = JoinKind::LeftSemi;
            take();
            if (!takeKeyword("semijoin")) {
                take();
                take();
            }
        } else if (peek(word).isKeyword("join")) {
            const Token& kind = peek();
            if (kind.isKeyword("inner")) {
                join.kind = JoinKind::Inner;
            } else if (kind.isKeyword("left")) {
                join.kind = JoinKind::Left;
            } else if (kind.isKeyword("right")) {
                join.kind = JoinKind::Right;
            } else if (kind.isKeyword("full")) {
                join.kind = JoinKind::Full;
            } else if (kind.isKeyword("cross")) {
                join.kind = JoinKind::Cross;
            } else {
                return false;
            }
            for (size_t i = 0; i <= word; ++i) take();
        } else {
            return false;
        }
    }
    join.table = tableExpression();
    join.alias = tableAlias();
    const bool hasUsing = peek().isKeyword("using") && peek(1).is("(");
    if (join.kind == JoinKind::Inner && !hasUsing && !peek().isKeyword("on")) join.kind = JoinKind::Cross;
    if (hasUsing && join.kind != JoinKind::Cross) {
        join.on = usingCondition(join);
    } else if (join.kind != JoinKind::Cross) {
        expectKeyword("on", "and the columns to join on");
        join.on = expression();
    }
    query.joins.push_back(std::move(join));
    return true;
}

}  // namespace pelorus

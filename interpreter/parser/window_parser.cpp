// The over clause: the frame of rows of a window function. Section 17 of the language.
#include "interpreter/parser/parser_core.h"

namespace pelorus {

NodeRef Parser::frameBound(FrameBound& bound) {
    if (takeKeyword("unbounded")) {
        if (takeKeyword("preceding")) {
            bound = FrameBound::UnboundedPreceding;
        } else {
            expectKeyword("following", "or 'preceding' after 'unbounded'");
            bound = FrameBound::UnboundedFollowing;
        }
        return NodeRef();
    }
    if (takeKeyword("current")) {
        expectKeyword("row", "after 'current'");
        bound = FrameBound::CurrentRow;
        return NodeRef();
    }
    if (!startsLiteral(0)) failUnexpected("a number of rows, 'unbounded' or 'current row'");
    NodeRef offset = literalRun();
    if (takeKeyword("preceding")) {
        bound = FrameBound::Preceding;
    } else {
        expectKeyword("following", "or 'preceding' after the number");
        bound = FrameBound::Following;
    }
    return offset;
}

FrameExclusion Parser::frameExclusion() {
    if (takeKeyword("current")) {
        expectKeyword("row", "after 'current'");
        return FrameExclusion::CurrentRow;
    }
    if (takeKeyword("group")) return FrameExclusion::Group;
    if (takeKeyword("ties")) return FrameExclusion::Ties;
    expectKeyword("no", "or 'current row', 'group' or 'ties' after 'exclude'");
    expectKeyword("others", "after 'no'");
    return FrameExclusion::None;
}

// f(args) over (partition by … order by … rows between … and … exclude …)
NodeRef Parser::window(NodeRef call) {
    SourcePosition position = take().position;
    expect("(", "after 'over'");
    ModeScope scope(*this, insideBrackets());
    Ref<Window> node = makeRef<Window>(std::move(call), position);
    if (takeClause("partition", "by")) {
        do {
            node->partitionBy.push_back(postfixColumn());
        } while (takeComma());
    }
    if (takeClause("order", "by")) {
        // `rows` and `range` begin the frame; elsewhere they are ordinary names.
        do {
            node->orderBy.push_back(ordered(postfixColumn()));
        } while (takeComma());
    }
    if (peek().isKeyword("rows") || peek().isKeyword("range") || peek().isKeyword("groups")) {
        node->hasFrame = true;
        const Token& unit = take();
        node->unit = unit.isKeyword("range")    ? FrameUnit::Range
                     : unit.isKeyword("groups") ? FrameUnit::Groups
                                                : FrameUnit::Rows;
        if (takeKeyword("between")) {
            node->lowOffset = frameBound(node->low);
            expectKeyword("and", "and the end of the frame");
            node->highOffset = frameBound(node->high);
        } else {
            node->lowOffset = frameBound(node->low);
        }
        if (takeKeyword("exclude")) node->exclusion = frameExclusion();
    }
    expect(")", "after the window");
    return node;
}

// A column or call, without what could swallow the words after it.
// A column or an expression of some: what follows it by a blank is no argument, for it may be `rows` or `range`.
NodeRef Parser::postfixColumn() {
    NodeRef node = tableExpression();
    for (;;) {
        const Infix infix = peekInfix();
        if (infix.kind != Infix::Kind::Operator) return node;
        const SourcePosition position = take().position;
        node = makeRef<Binary>(infix.op, std::move(node), binary(infix.precedence + 1), position);
    }
}

}  // namespace pelorus

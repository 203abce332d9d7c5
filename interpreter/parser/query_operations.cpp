// What joins queries to each other (union, intersect, except) and sets of keys to each other (rollup, cube, grouping
// sets).
#include <algorithm>
#include <utility>

#include "interpreter/parser/parser_core.h"
#include "runtime/code/same_code.h"

namespace pelorus {

namespace {

using KeySet = std::vector<size_t>;  // positions of keys in the list of group by

constexpr size_t kMaxKeySets = 4096;

// Returns every key set of `left` beside every one of `right`.
std::vector<KeySet> crossed(const std::vector<KeySet>& left, const std::vector<KeySet>& right) {
    std::vector<KeySet> sets;
    for (const KeySet& first : left) {
        for (const KeySet& second : right) {
            KeySet both = first;
            for (const size_t key : second) {
                if (std::find(both.begin(), both.end(), key) == both.end()) both.push_back(key);
            }
            sets.push_back(std::move(both));
        }
    }
    return sets;
}

KeySet joinedSets(const std::vector<KeySet>& elements) {
    KeySet whole;
    for (const KeySet& element : elements) whole.insert(whole.end(), element.begin(), element.end());
    return whole;
}

// rollup(a, b): (a, b), (a), ().
std::vector<KeySet> rollupOf(const std::vector<KeySet>& elements) {
    std::vector<KeySet> sets;
    for (size_t n = elements.size() + 1; n-- > 0;)
        sets.push_back(joinedSets({elements.begin(), elements.begin() + static_cast<std::ptrdiff_t>(n)}));
    return sets;
}

// cube(a, b): (a, b), (a), (b), ().
std::vector<KeySet> cubeOf(const std::vector<KeySet>& elements) {
    std::vector<KeySet> sets{{}};
    for (size_t e = elements.size(); e-- > 0;) {
        std::vector<KeySet> with = crossed({elements[e]}, sets);
        with.insert(with.end(), sets.begin(), sets.end());
        sets = std::move(with);
    }
    return sets;
}

}  // namespace

bool Parser::startsSetOperation() const {
    const Token& token = peek();
    if (!sameLine() && !mode_.inQuery) return false;
    if (token.isKeyword("union")) return true;
    if (!token.isKeyword("intersect") && !token.isKeyword("except")) return false;
    const Token& next = peek(1);
    return next.is("(") || next.isKeyword("select") || next.isKeyword("exec") || next.isKeyword("all") ||
           next.isKeyword("distinct");
}

// The query behind union, intersect or except. An intersect that follows it belongs to it: it binds tighter.
NodeRef Parser::setOperand(bool& isBracketed) {
    NodeRef other;
    isBracketed = peek().is("(");
    if (isBracketed) {
        const bool outer = std::exchange(inUnion_, true);
        other = parenthesised();
        inUnion_ = outer;
        if (other->kind != NodeKind::Query) failUnexpected("a query to join");
    } else {
        if (!startsQuery()) failUnexpected("a query to join");
        const int unknownBefore = unknownCalls_;
        other = selectQuery();
        static_cast<Query&>(*other).callsUnknown = unknownCalls_ > unknownBefore;
    }
    return other;
}

SetOperation Parser::setOperation(bool& isBracketed) {
    SetOperation operation;
    if (peek().isKeyword("intersect")) operation.op = SetOperator::Intersect;
    if (peek().isKeyword("except")) operation.op = SetOperator::Except;
    take();
    operation.all = takeKeyword("all");
    if (!operation.all) takeKeyword("distinct");
    operation.query = setOperand(isBracketed);
    if (operation.op == SetOperator::Intersect) return operation;
    while (peek().isKeyword("intersect") && startsSetOperation()) {
        auto& query = static_cast<Query&>(*operation.query);
        query.unions.push_back(setOperation(isBracketed));
    }
    return operation;
}

// An order and a limit behind the last query, where that stands in no brackets, are those of the whole.
NodeRef Parser::unions(NodeRef first) {
    if (!startsSetOperation()) return first;
    auto& query = static_cast<Query&>(*first);
    bool isBracketed = false;
    while (startsSetOperation()) query.unions.push_back(setOperation(isBracketed));
    Query* last = &static_cast<Query&>(*query.unions.back().query);
    while (!isBracketed && !last->unions.empty()) last = &static_cast<Query&>(*last->unions.back().query);
    const bool hasTail = !last->orderBy.empty() || last->limit || last->offset;
    if (isBracketed || !hasTail || query.verb != QueryVerb::Select) return first;
    Ref<Query> whole = makeRef<Query>(query.position);
    whole->items = {{makeRef<Star>(query.position), {}, NodeRef()}};
    whole->orderBy = std::exchange(last->orderBy, {});
    whole->limit = std::exchange(last->limit, NodeRef());
    whole->offset = std::exchange(last->offset, NodeRef());
    whole->with = std::exchange(query.with, {});
    whole->callsUnknown = query.callsUnknown || last->callsUnknown;
    whole->table = std::move(first);
    return whole;
}

// A key of group by, or a list of keys in brackets, which may be empty.
std::vector<size_t> Parser::keySet(std::vector<SelectItem>& keys, bool mayBeList) {
    std::vector<size_t> set;
    const auto add = [&] {
        keys.push_back(selectItem());
        set.push_back(keys.size() - 1);
    };
    if (!mayBeList || !peek().is("(")) {
        add();
        return set;
    }
    take();
    ModeScope scope(*this, insideBrackets());
    while (!takeIf(")")) {
        if (!set.empty()) expect(",", "or ')' after the keys");
        add();
    }
    return set;
}

// The sets of one element of group by: a key, rollup(…), cube(…), grouping sets (…).
std::vector<std::vector<size_t>> Parser::keySets(std::vector<SelectItem>& keys) {
    const Token word = peek();
    const bool isSets = word.isKeyword("grouping") && peek(1).isKeyword("sets") && peek(2).is("(");
    const bool isRollup = word.isKeyword("rollup") && peek(1).is("(");
    const bool isCube = word.isKeyword("cube") && peek(1).is("(");
    if (!isSets && !isRollup && !isCube) return {keySet(keys, false)};
    take();
    if (isSets) take();
    take();
    ModeScope scope(*this, insideBrackets());
    std::vector<KeySet> elements;
    do {
        const bool isNested = isSets && (peek().isKeyword("rollup") || peek().isKeyword("cube"));
        if (isNested) {
            for (KeySet& set : keySets(keys)) elements.push_back(std::move(set));
        } else {
            elements.push_back(keySet(keys, true));
        }
    } while (takeComma());
    expect(")", "after the sets of keys");
    constexpr size_t kMaxCubeKeys = 12;
    if (isCube && elements.size() > kMaxCubeKeys) fail(word, "A cube has at most 12 keys.");
    return isSets ? elements : isRollup ? rollupOf(elements) : cubeOf(elements);
}

void Parser::groupKeys(Query& query) {
    std::vector<KeySet> sets{{}};
    bool isPlain = true;
    const Token first = peek();
    do {
        const size_t before = query.groupBy.size();
        std::vector<KeySet> more = keySets(query.groupBy);
        isPlain = isPlain && more.size() == 1 && query.groupBy.size() == before + 1;
        sets = crossed(sets, more);
        if (sets.size() > kMaxKeySets) fail(first, "group by has more than 4096 sets of keys.");
    } while (takeComma());
    if (isPlain) return;
    // A key of several sets is one.
    std::vector<SelectItem> keys;
    std::vector<size_t> places;
    for (const SelectItem& key : query.groupBy) {
        const auto same = std::find_if(keys.begin(), keys.end(),
                                       [&](const SelectItem& other) { return isSameCode(other.value, key.value); });
        places.push_back(static_cast<size_t>(same - keys.begin()));
        if (same == keys.end()) keys.push_back(key);
    }
    for (KeySet& set : sets) {
        KeySet distinct;
        for (const size_t key : set) {
            if (std::find(distinct.begin(), distinct.end(), places[key]) == distinct.end())
                distinct.push_back(places[key]);
        }
        set = std::move(distinct);
    }
    query.groupBy = std::move(keys);
    query.groupingSets = std::move(sets);
}

}  // namespace pelorus

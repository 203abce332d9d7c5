// Text search: whether the words of a text fulfil a condition. A query on a column with a text index says how texts are
// cut into words; elsewhere `index` does.
#include <fmt/format.h>

#include "common/error.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/text/text_match.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/string/map_strings.h"

namespace pelorus {

namespace {

// The last two arguments of every function here.
TextAnalyzer analyzerOf(Arguments a) {
    const size_t index = a.size() - 1;
    if (isGiven(a, index - 1) && !stringArgument(a, index - 1, "scoreColName").empty()) {
        throw UserError(static_cast<int>(index - 1), "A column of scores is not supported.", "Leave scoreColName out.");
    }
    if (!isGiven(a, index)) {
        throw UserError(0, "textCol has no text index.",
                        "Search in where of a query on a column with one, see createPartitionedTable, or give "
                        "index=\"textindex(parser=english)\".");
    }
    return TextAnalyzer::parse(stringArgument(a, index, "index"), static_cast<int>(index));
}

Value matched(const Value& strings, TextMatcher matcher) {
    return mapStringsTo<int8_t>(Type::Bool, strings, [&](std::string_view string) { return matcher.matches(string); });
}

std::vector<WordPattern> wordsOf(const TextAnalyzer& analyzer, const std::string& string) {
    std::vector<WordPattern> patterns;
    for (std::string& term : analyzer.terms(string)) patterns.push_back({.term = std::move(term)});
    return patterns;
}

template <WordOrder kOrder>
Value wordsKernel(Context&, Arguments a) {
    const TextAnalyzer analyzer = analyzerOf(a);
    return matched(a[0], TextMatcher(analyzer, wordsOf(analyzer, stringArgument(a, 1, "terms")), kOrder));
}

template <WordOrder kOrder>
Value spanKernel(Context&, Arguments a) {
    const TextAnalyzer analyzer = analyzerOf(a);
    const int64_t slop = integerArgument(a, 2, "slop");
    if (slop < 0) throw UserError(2, fmt::format("slop must not be negative, but it is {}.", slop));
    return matched(a[0], TextMatcher(analyzer, wordsOf(analyzer, stringArgument(a, 1, "span")), kOrder, slop));
}

// One word with a given prefix, suffix, or both.
template <bool kPrefix, bool kSuffix>
Value partKernel(Context&, Arguments a) {
    const TextAnalyzer analyzer = analyzerOf(a);
    WordPattern pattern;
    if (kPrefix) pattern.prefix = analyzer.part(stringArgument(a, 1, "prefix"));
    if (kSuffix) pattern.suffix = analyzer.part(stringArgument(a, kPrefix ? 2 : 1, "suffix"));
    return matched(a[0], TextMatcher(analyzer, {std::move(pattern)}, WordOrder::Any));
}

// A phrase, the word before it ending so, the word after it beginning so.
template <bool kSuffix, bool kPrefix>
Value phrasePartKernel(Context&, Arguments a) {
    const TextAnalyzer analyzer = analyzerOf(a);
    const size_t phrase = kSuffix ? 2 : 1;
    std::vector<WordPattern> patterns = wordsOf(analyzer, stringArgument(a, phrase, "phrase"));
    if (kSuffix) patterns.insert(patterns.begin(), {.suffix = analyzer.part(stringArgument(a, 1, "suffix"))});
    if (kPrefix) patterns.push_back({.prefix = analyzer.part(stringArgument(a, phrase + 1, "prefix"))});
    return matched(a[0], TextMatcher(analyzer, std::move(patterns), WordOrder::InOrder));
}

// matchFuzzy(stringCol, term, minimumSimilarity, prefixLength, ...)
Value fuzzyKernel(Context&, Arguments a) {
    const TextAnalyzer analyzer = analyzerOf(a);
    std::vector<WordPattern> patterns = wordsOf(analyzer, stringArgument(a, 1, "term"));
    const double similarity = realArgument(a, 2, "minimumSimilarity");
    if (!(similarity >= 0 && similarity <= 1))
        throw UserError(2, fmt::format("minimumSimilarity must be from 0 to 1, but it is {}.", similarity));
    const int64_t prefix = integerArgument(a, 3, "prefixLength");
    if (prefix < 0) throw UserError(3, fmt::format("prefixLength must not be negative, but it is {}.", prefix));
    if (patterns.size() > 1) patterns.clear();  // several words find nothing
    for (WordPattern& pattern : patterns) {
        pattern.similarity = similarity;
        pattern.samePrefix = prefix;
    }
    return matched(a[0], TextMatcher(analyzer, std::move(patterns), WordOrder::Any));
}

}  // namespace

void registerTextSearch(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view example) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .parameters = "scoreColName: not supported.\nindex: how texts are cut into words, as "
                                    "\"textindex(parser=english)\"; in where of a query the column's own index.",
                      .nulls = "NULL matches nothing.",
                      .errors = "textCol is not text; it has no text index and none is given.",
                      .complexity = "O(length of the texts): every text is cut into words.",
                      .example = example},
                     {.takes = {kAnything, kTogether, kTogether, kTogether, kTogether, kTogether, kTogether, kTogether},
                      .gives = is(Type::Bool),
                      .kind = FunctionKind::Elementwise});
    };
    add("matchAny(textCol, terms, [scoreColName], [index])", wordsKernel<WordOrder::Any>,
        "Whether a text holds one of the words of terms.",
        "matchAny([\"red sky\", \"blue sea\"], \"sea sun\", index=\"textindex(parser=english)\") -> [false,true]");
    add("matchAll(textCol, terms, [scoreColName], [index])", wordsKernel<WordOrder::All>,
        "Whether a text holds all words of terms.",
        "matchAll([\"red sky\", \"red sea\"], \"sea red\", index=\"textindex(parser=english)\") -> [false,true]");
    add("matchPhrase(textCol, phrase, [scoreColName], [index])", wordsKernel<WordOrder::InOrder>,
        "Whether the words of phrase stand in a text one after the other.",
        "matchPhrase([\"a red sky\", \"sky in red\"], \"red sky\", index=\"textindex(parser=english)\") -> "
        "[true,false]");
    add("matchPrefix(textCol, prefix, [scoreColName], [index])", partKernel<true, false>,
        "Whether a word of a text begins with prefix.",
        "matchPrefix([\"red sky\", \"blue sea\"], \"sk\", index=\"textindex(parser=english)\") -> [true,false]");
    add("matchSuffix(textCol, suffix, [scoreColName], [index])", partKernel<false, true>,
        "Whether a word of a text ends with suffix.",
        "matchSuffix([\"red sky\", \"blue sea\"], \"ea\", index=\"textindex(parser=english)\") -> [false,true]");
    add("matchPrefixSuffix(textCol, prefix, suffix, [scoreColName], [index])", partKernel<true, true>,
        "Whether a word of a text begins with prefix and ends with suffix.",
        "matchPrefixSuffix([\"storm\", \"stream\"], \"st\", \"am\", index=\"textindex(parser=english)\") -> "
        "[false,true]");
    add("matchPhrasePrefix(textCol, phrase, prefix, [scoreColName], [index])", phrasePartKernel<false, true>,
        "Whether the words of phrase stand in a text, followed by a word that begins with prefix.",
        "matchPhrasePrefix([\"red sky\", \"red sea\"], \"red\", \"sk\", index=\"textindex(parser=english)\") -> "
        "[true,false]");
    add("matchPhraseSuffix(textCol, suffix, phrase, [scoreColName], [index])", phrasePartKernel<true, false>,
        "Whether the words of phrase stand in a text after a word that ends with suffix.",
        "matchPhraseSuffix([\"red sky\", \"blue sky\"], \"ue\", \"sky\", index=\"textindex(parser=english)\") -> "
        "[false,true]");
    add("matchPhraseInfix(textCol, suffix, phrase, prefix, [scoreColName], [index])", phrasePartKernel<true, true>,
        "Whether the words of phrase stand in a text between a word that ends with suffix and one that begins with "
        "prefix.",
        "matchPhraseInfix(\"one red sky today\", \"ne\", \"red sky\", \"to\", index=\"textindex(parser=english)\") -> "
        "true");
    add("matchSpan(textCol, span, slop, [scoreColName], [index])", spanKernel<WordOrder::InOrder>,
        "Whether the words of span stand in a text in this order, with at most slop other words between them.",
        "matchSpan([\"red evening sky\", \"red sky\"], \"red sky\", 0, index=\"textindex(parser=english)\") -> "
        "[false,true]");
    add("matchUnorderedSpan(textCol, span, slop, [scoreColName], [index])", spanKernel<WordOrder::Unordered>,
        "Whether the words of span stand in a text in any order, with at most slop other words between them.",
        "matchUnorderedSpan(\"red evening sky\", \"sky red\", 1, index=\"textindex(parser=english)\") -> true");
    add("matchFuzzy(textCol, term, minimumSimilarity, prefixLength, [scoreColName], [index])", fuzzyKernel,
        "Whether a text holds a word that is spelt much like term: of equal first prefixLength characters, and with "
        "1 - changed characters / length at least minimumSimilarity.",
        "matchFuzzy([\"colour\", \"collar\"], \"color\", 0.8, 3, index=\"textindex(parser=english)\") -> "
        "[true,false]");
}

}  // namespace pelorus

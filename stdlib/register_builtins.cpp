#include "stdlib/register_builtins.h"

namespace pelorus {

void registerStandardLibrary(FunctionRegistry& registry) {
    registerValueFunctions(registry);
    registerFiles(registry);
    registerFileHandles(registry);
    registerTextIo(registry);
    registerEnvironment(registry);
    registerNumpyFiles(registry);
    registerRecordFiles(registry);
    registerJsonTables(registry);
    registerCachedTables(registry);
}

void registerValueFunctions(FunctionRegistry& registry) {
    registerOperators(registry);
    registerEqualObjects(registry);
    registerEqualWithin(registry);
    registerBits(registry);
    registerRowSorting(registry);
    registerHigherOrder(registry);
    registerPipeline(registry);
    registerTables(registry);
    registerConsole(registry);
    registerRegression(registry);
    registerAppend(registry);
    registerKeyedTables(registry);
    registerMath(registry);
    registerSums(registry);
    registerChoices(registry);
    registerOrderStatistics(registry);
    registerConversions(registry);
    registerNulls(registry);
    registerOrder(registry);
    registerVectorMaking(registry);
    registerArrayVectors(registry);
    registerGenome(registry);
    registerTextSearch(registry);
    registerInterpolation(registry);
    registerBuckets(registry);
    registerRemoving(registry);
    registerCharacters(registry);
    registerHalves(registry);
    registerTemporalDifferences(registry);
    registerStretching(registry);
    registerDailyBars(registry);
    registerReshaping(registry);
    registerShifting(registry);
    registerWindows(registry);
    registerText(registry);
    registerRegularExpressions(registry);
    registerEncodings(registry);
    registerJson(registry);
    registerStringFormat(registry);
    registerFormatting(registry);
    registerTemporalParts(registry);
    registerPeriods(registry);
    registerFrequencies(registry);
    registerTradingCalendars(registry);
    registerTimeZones(registry);
    registerClock(registry);
    registerDictionaries(registry);
    registerColumns(registry);
    registerUnpivot(registry);
    registerMatrices(registry);
    registerTensors(registry);
    registerRowFunctions(registry);
    registerRowAlignment(registry);
    registerWindowsOfFunctions(registry);
    registerMatrixLabels(registry);
    registerLinearAlgebra(registry);
    registerTopN(registry);
    registerTechnicalAnalysis(registry);
    registerCorrelations(registry);
    registerSearches(registry);
    registerBoxCox(registry);
    registerTransforms(registry);
    registerHypothesisTests(registry);
    registerDistributions(registry);
    registerExponentialWeights(registry);
    registerWindowOrder(registry);
    registerStreaks(registry);
    registerNorms(registry);
    registerRowGroupby(registry);
    registerWindowData(registry);
    registerSummary(registry);
    registerGroupedCalls(registry);
    registerCalls(registry);
    registerMemberModify(registry);
    registerCodeBuilders(registry);
    registerQueryBuilders(registry);
    registerCodeInspection(registry);
}

}  // namespace pelorus

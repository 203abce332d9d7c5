// The list of the families of functions of values.
#pragma once

#include "runtime/registry/registry.h"

namespace pelorus {

void registerStandardLibrary(FunctionRegistry& registry);
// Registers only the functions that reach nothing outside the process.
void registerValueFunctions(FunctionRegistry& registry);

// There is one per family.
void registerOperators(FunctionRegistry& registry);
void registerEqualObjects(FunctionRegistry& registry);
void registerEqualWithin(FunctionRegistry& registry);
void registerBits(FunctionRegistry& registry);
void registerCompression(FunctionRegistry& registry);
void registerRowSorting(FunctionRegistry& registry);
void registerHigherOrder(FunctionRegistry& registry);
void registerMemberModify(FunctionRegistry& registry);
void registerTables(FunctionRegistry& registry);
void registerAppend(FunctionRegistry& registry);
void registerKeyedTables(FunctionRegistry& registry);
void registerTextIo(FunctionRegistry& registry);
void registerCharts(FunctionRegistry& registry);
void registerChartFiles(FunctionRegistry& registry);
void registerConsole(FunctionRegistry& registry);
void registerRegression(FunctionRegistry& registry);
void registerFiles(FunctionRegistry& registry);
void registerFileHandles(FunctionRegistry& registry);
void registerMath(FunctionRegistry& registry);
void registerSums(FunctionRegistry& registry);
void registerChoices(FunctionRegistry& registry);
void registerOrderStatistics(FunctionRegistry& registry);
void registerConversions(FunctionRegistry& registry);
void registerNulls(FunctionRegistry& registry);
void registerOrder(FunctionRegistry& registry);
void registerVectorMaking(FunctionRegistry& registry);
void registerGenome(FunctionRegistry& registry);
void registerTextSearch(FunctionRegistry& registry);
void registerInterpolation(FunctionRegistry& registry);
void registerPolynomials(FunctionRegistry& registry);
void registerInterpolationModels(FunctionRegistry& registry);
void registerResampledInterpolation(FunctionRegistry& registry);
void registerBSplines(FunctionRegistry& registry);
void registerBuckets(FunctionRegistry& registry);
void registerRemoving(FunctionRegistry& registry);
void registerCharacters(FunctionRegistry& registry);
void registerHalves(FunctionRegistry& registry);
void registerTemporalDifferences(FunctionRegistry& registry);
void registerStretching(FunctionRegistry& registry);
void registerDailyBars(FunctionRegistry& registry);
void registerArrayVectors(FunctionRegistry& registry);
void registerReshaping(FunctionRegistry& registry);
void registerShifting(FunctionRegistry& registry);
void registerWindows(FunctionRegistry& registry);
void registerStrings(FunctionRegistry& registry);
void registerRegularExpressions(FunctionRegistry& registry);
void registerEncodings(FunctionRegistry& registry);
void registerJson(FunctionRegistry& registry);
void registerStringFormat(FunctionRegistry& registry);
void registerFormatting(FunctionRegistry& registry);
void registerTemporalParts(FunctionRegistry& registry);
void registerPeriods(FunctionRegistry& registry);
void registerFrequencies(FunctionRegistry& registry);
void registerTradingCalendars(FunctionRegistry& registry);
void registerTimeZones(FunctionRegistry& registry);
void registerClock(FunctionRegistry& registry);
void registerDictionaries(FunctionRegistry& registry);
void registerColumns(FunctionRegistry& registry);
void registerUnpivot(FunctionRegistry& registry);
void registerEnvironment(FunctionRegistry& registry);
void registerNumpyFiles(FunctionRegistry& registry);
void registerParquetFiles(FunctionRegistry& registry);
void registerFeatherFiles(FunctionRegistry& registry);
void registerPlugins(FunctionRegistry& registry);
void registerRecordFiles(FunctionRegistry& registry);
void registerJsonTables(FunctionRegistry& registry);
void registerCachedTables(FunctionRegistry& registry);
void registerPipeline(FunctionRegistry& registry);
void registerMatrices(FunctionRegistry& registry);
void registerTensors(FunctionRegistry& registry);
void registerRowAlignment(FunctionRegistry& registry);
void registerRowFunctions(FunctionRegistry& registry);
void registerWindowsOfFunctions(FunctionRegistry& registry);
void registerMatrixLabels(FunctionRegistry& registry);
void registerLinearAlgebra(FunctionRegistry& registry);
void registerTopN(FunctionRegistry& registry);
void registerTechnicalAnalysis(FunctionRegistry& registry);
void registerCorrelations(FunctionRegistry& registry);
void registerSearches(FunctionRegistry& registry);
void registerBoxCox(FunctionRegistry& registry);
void registerTransforms(FunctionRegistry& registry);
void registerHypothesisTests(FunctionRegistry& registry);
void registerDistributions(FunctionRegistry& registry);
void registerExponentialWeights(FunctionRegistry& registry);
void registerWindowOrder(FunctionRegistry& registry);
void registerStreaks(FunctionRegistry& registry);
void registerNorms(FunctionRegistry& registry);
void registerRowGroupby(FunctionRegistry& registry);
void registerWindowData(FunctionRegistry& registry);
void registerSummary(FunctionRegistry& registry);
void registerGroupedCalls(FunctionRegistry& registry);
void registerCalls(FunctionRegistry& registry);
void registerRecursions(FunctionRegistry& registry);
void registerCodeBuilders(FunctionRegistry& registry);
void registerQueryBuilders(FunctionRegistry& registry);
void registerCodeInspection(FunctionRegistry& registry);

}  // namespace pelorus

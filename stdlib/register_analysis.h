// The list of the families of functions that fit models and price instruments.
#pragma once

namespace pelorus {

class FunctionRegistry;

void registerLinearModels(FunctionRegistry& registry);
void registerGeneralizedLinear(FunctionRegistry& registry);
void registerNaiveBayes(FunctionRegistry& registry);
void registerNearestNeighbours(FunctionRegistry& registry);
void registerClusters(FunctionRegistry& registry);
void registerForests(FunctionRegistry& registry);
void registerKernelRidge(FunctionRegistry& registry);
void registerBoundedLeastSquares(FunctionRegistry& registry);
void registerPiecewiseLinear(FunctionRegistry& registry);
void registerSavedModels(FunctionRegistry& registry);
void registerBonds(FunctionRegistry& registry);
void registerYieldCurves(FunctionRegistry& registry);
void registerRisk(FunctionRegistry& registry);
void registerOptions(FunctionRegistry& registry);
void registerInstruments(FunctionRegistry& registry);
void registerMarketData(FunctionRegistry& registry);
void registerBondCalculator(FunctionRegistry& registry);
void registerBondPricers(FunctionRegistry& registry);
void registerFxPricers(FunctionRegistry& registry);
void registerVarianceAnalysis(FunctionRegistry& registry);
void registerUnitRoots(FunctionRegistry& registry);
void registerSeasonalTrends(FunctionRegistry& registry);
void registerTimeSeriesModels(FunctionRegistry& registry);
void registerGarch(FunctionRegistry& registry);
void registerVarma(FunctionRegistry& registry);
void registerOdbc(FunctionRegistry& registry);

}  // namespace pelorus

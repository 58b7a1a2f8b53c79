// Declares the careful functions of f64 panels, which careful.cpp defines. Included inside the
// namespace of an instruction set; no include guard.
namespace panel_careful_of {
template <PanelTerms terms>
bool careful(const Panel& p, PanelTotals& totals);
template <PanelTerms terms>
bool nonfinite(const Panel& p, PanelTotals& totals);
}  // namespace panel_careful_of

//! A chart of a simulation and the lines of its legend.

/// A drawing with its legend.
pub(crate) struct SimulationChart {
    pub(crate) drawing: String,
    pub(crate) key: Vec<ChartKey>,
}

/// A line of a legend.
pub(crate) struct ChartKey {
    pub(crate) name: String,
    /// CSS variable of the color.
    pub(crate) color: &'static str,
    /// Whether it stands for an area, not for a line.
    pub(crate) is_band: bool,
}

impl ChartKey {
    pub(super) fn line(name: String, color: &'static str) -> Self {
        Self { name, color, is_band: false }
    }

    pub(super) fn band(name: String, color: &'static str) -> Self {
        Self { name, color, is_band: true }
    }
}

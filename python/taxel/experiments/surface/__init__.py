"""The contact query by itself: fields, symmetry, Drake's surfaces, speed (HydroelasticTouch)."""

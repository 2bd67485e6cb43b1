"""What every room of the package leans on and what knows none of them: poses and arrays out of what users give
(``convert``), words for a wrong call (``arguments``), who may share an object (``alone``), descriptions by keys
(``description``)."""

/* Says on the console when the first row of the board has been painted, with all of its numbers:
   in milliseconds since the start of the navigation. */
(wanted) => {
  const isOnScreen = (cell) => {
    const box = cell.getBoundingClientRect();
    const isVisible = cell.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    return isVisible && box.height > 0 && box.top >= 0 && box.bottom <= innerHeight;
  };

  // Without its interval, which follows in small print.
  const scoreIn = (cell) =>
    [...cell.childNodes]
      .filter((node) => node.nodeName !== "SMALL")
      .map((node) => node.textContent)
      .join("");

  const isComplete = (row) => {
    const cells = [...row.cells];
    const numbers = cells.map((cell) => parseFloat(scoreIn(cell))).filter((n) => !isNaN(n));
    return (
      row.textContent.includes(wanted.model) &&
      numbers.join() === wanted.numbers.join() &&
      cells.every(isOnScreen)
    );
  };

  const look = () => {
    const rows = [...document.querySelectorAll("tbody tr:first-child")];
    if (rows.some(isComplete)) {
      // After this very frame, and before the parser or anything else goes on.
      scheduler.postTask(() => console.info(`first row: ${performance.now()}`), {
        priority: "user-blocking",
      });
    } else {
      requestAnimationFrame(look);
    }
  };
  requestAnimationFrame(look);
}

/** The whole page: navigation and the page of the current URL. */
export function App() {
  return <h1>Manta</h1>;
}

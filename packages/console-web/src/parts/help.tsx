const KEYS: readonly (readonly [string, string])[] = [
  ['/', 'filter the list, or search'],
  ['Ctrl K', 'search or jump to anything'],
  ['g h', 'home'],
  ['g j', 'jobs'],
  ['g c', 'clusters'],
  ['g s', 'services'],
  ['g r', 'cron jobs'],
  ['g n', 'new'],
  ['g o', 'operator'],
  ['?', 'this help'],
];

/** The keys of the page. */
export function Help({ onClose }: { readonly onClose: () => void }) {
  return (
    <dialog
      aria-label="Keys"
      ref={(element) => {
        if (element !== null && !element.open) element.showModal();
      }}
      onClose={onClose}
    >
      <div className="body">
        <b>Keys</b>
        <table>
          <tbody>
            {KEYS.map(([key, meaning]) => (
              <tr key={key}>
                <td>
                  <kbd>{key}</kbd>
                </td>
                <td>{meaning}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </dialog>
  );
}

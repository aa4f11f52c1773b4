import type { ReactNode } from 'react';

export interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  /** What the button says that goes on. */
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly onCancel: () => void;
  readonly onConfirm: () => void;
}

/** Asks before something happens, and says what. Escape cancels. */
export function ConfirmDialog({ title, children, action, isDangerous = false, onCancel, onConfirm }: DialogProps) {
  return (
    <dialog
      aria-label={title}
      ref={(element) => {
        if (element !== null && !element.open) element.showModal();
      }}
      onClose={onCancel}
    >
      <div className="body">
        <b>{title}</b>
        {children}
        <span className="row">
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
          <button type="button" className={isDangerous ? 'danger solid' : 'primary'} onClick={onConfirm}>
            {action}
          </button>
        </span>
      </div>
    </dialog>
  );
}

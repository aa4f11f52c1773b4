import { describe, expect, it } from 'vitest';
import { pipFailure } from './pip-failure.ts';

const setup = (output: string) =>
  `runtime_env setup failed: Failed to set up runtime environment.
Could not create the actor because its associated runtime env failed to be created.
Traceback (most recent call last):
ray._private.runtime_env.utils.SubprocessCalledProcessError: Run cmd[9] failed with the following details.
Command '['/tmp/ray/virtualenv/bin/python', '-m', 'pip', 'install', '-r', 'requirements.txt']' returned non-zero exit status 1.
Last 50 lines of stdout:
${output}`;

describe('pipFailure()', () => {
  it.each([
    [
      'a package without a distribution',
      setup(
        'ERROR: Could not find a version that satisfies the requirement numpyy (from versions: none)\nERROR: No matching distribution found for numpyy',
      ),
      'pip could not install numpyy: no matching distribution',
    ],
    [
      'a version without a distribution',
      setup('    ERROR: No matching distribution found for numpy==99.0'),
      'pip could not install numpy==99.0: no matching distribution',
    ],
    [
      'an index that does not answer',
      setup(
        "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError'\nERROR: No matching distribution found for torch",
      ),
      'pip could not install torch: the package index cannot be reached',
    ],
    [
      'versions that conflict',
      setup('ERROR: ResolutionImpossible: for help visit https://pip.pypa.io'),
      'pip could not install the packages of the runtime_env: the versions conflict',
    ],
    [
      'any other error of pip, in its words',
      setup('    ERROR: Invalid requirement: numpy=>1'),
      'pip could not install the packages of the runtime_env: Invalid requirement: numpy=>1',
    ],
    [
      'a package that uv does not find',
      'runtime_env setup failed: uv pip install\nBecause numpyy was not found in the package registry and you require numpyy',
      'uv could not install numpyy: no matching distribution',
    ],
  ])('names %s', (_, text, expected) => {
    expect(pipFailure(text)).toBe(expected);
  });

  it.each([
    ['a traceback of the job', 'Job entrypoint command failed with exit code 1\nValueError: pip'],
    [
      'an error of a job that mentions pip, after the line with which the log of every job begins',
      'Job entrypoint command failed with exit code 1:\nINFO job_manager.py:530 -- Runtime env is setting up.\n[notice] To update, run: pip install --upgrade pip\nERROR: the training failed',
    ],
    ['a working_dir that cannot be fetched', 'runtime_env setup failed: Failed to download package s3://b/c.zip'],
  ])('does not name %s', (_, text) => {
    expect(pipFailure(text)).toBeUndefined();
  });

  it('reads a text of empty lines in linear time: in quadratic time this test would not end', () => {
    expect(pipFailure(setup('\n'.repeat(1_000_000)))).toBeUndefined();
  });

  it('cuts the name of a package', () => {
    const text = setup(`ERROR: No matching distribution found for ${'x'.repeat(10_000)}`);
    expect(pipFailure(text)?.length).toBeLessThan(300);
  });
});

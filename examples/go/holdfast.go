// Package holdfast holds a lock of Holdfast with nothing but Go's standard library.
package holdfast

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mrand "math/rand"
	"net/http"
	"net/url"
	"time"
)

// ErrNotAcquired: somebody else held the lock for as long as was waited.
var ErrNotAcquired = errors.New("not acquired")

// ErrUnavailable: the service did not answer for as long as was waited. Somebody may hold the lock, or nobody.
var ErrUnavailable = errors.New("unavailable")

// ErrLost: the lease ended before the work did.
var ErrLost = errors.New("lost")

// Client knows where the service is.
type Client struct{ URL, Key string }

type answer struct {
	Acquired     bool  `json:"acquired"`
	RetryAfterMs int64 `json:"retry_after_ms"`
	Lock         struct {
		FencingToken int64 `json:"fencing_token"`
	} `json:"lock"`
}

// send gives status 0 when there was no answer: maybe, so it is sent again.
func (c Client) send(method, path string, body map[string]any, timeout time.Duration) (int, answer) {
	var read answer
	text, _ := json.Marshal(body)
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, c.URL+"/api/locks/"+path, bytes.NewReader(text))
	if err != nil {
		return 0, read
	}
	request.Header.Set("Authorization", "Bearer "+c.Key)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, read
	}
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	if err != nil || (response.StatusCode == 200 && json.Unmarshal(got, &read) != nil) {
		return 0, read
	}
	return response.StatusCode, read
}

// Using works under a lock. The work's context ends when the lease can't be relied on any more.
func (c Client) Using(resource string, ttl, wait time.Duration, work func(context.Context, int64) error) error {
	path := url.PathEscape(resource)
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return err
	}
	// One owner for all tries: a try whose answer got lost is then not in the way of the next.
	owner := fmt.Sprintf("go/%x", random)
	until := time.Now().Add(wait)
	body := map[string]any{"owner": owner, "ttl_ms": ttl.Milliseconds()}
	var sent time.Time
	var granted answer
	for {
		sent = time.Now() // monotonic: the lease is counted from before the request
		status, read := c.send("POST", path, body, 3*time.Second)
		if status == 200 && read.Acquired {
			granted = read
			break
		}
		if status >= 400 && status < 500 && status != 429 {
			return fmt.Errorf("the service answered %d", status)
		}
		left := time.Until(until)
		if left <= 0 && status == 200 {
			return ErrNotAcquired
		}
		if left <= 0 {
			return ErrUnavailable
		}
		asked := time.Duration(read.RetryAfterMs) * time.Millisecond
		time.Sleep(min(asked+time.Duration(mrand.Int63n(int64(time.Second))), left))
	}
	token := granted.Lock.FencingToken
	ctx, cancel := context.WithCancelCause(context.Background())
	done, stopped := make(chan struct{}), make(chan struct{})
	ends, pause := sent.Add(ttl), ttl/3
	go func() {
		defer close(stopped)
		for {
			select {
			case <-done:
				return
			case <-time.After(max(time.Millisecond, min(pause, time.Until(ends)))):
			}
			now := time.Now()
			if !now.Before(ends) {
				cancel(ErrLost)
				return
			}
			renewal := map[string]any{"owner": owner, "ttl_ms": ttl.Milliseconds(), "fencing_token": token}
			switch status, _ := c.send("POST", path+"/renew", renewal, ends.Sub(now)/2); status {
			case 200:
				ends, pause = now.Add(ttl), ttl/3
			case 404, 409:
				cancel(ErrLost)
				return
			default:
				pause = time.Duration(mrand.Int63n(int64(ttl)/10 + 1))
			}
		}
	}()
	err := work(ctx, token)
	close(done)
	<-stopped
	// A process that was stopped past the end learns of the work's end and of the lease's at once, in any order.
	isOver := ctx.Err() != nil || !time.Now().Before(ends)
	c.send("DELETE", path, map[string]any{"owner": owner, "fencing_token": token}, 3*time.Second)
	if err == nil && isOver {
		err = ErrLost
	}
	cancel(nil)
	return err
}
